// Pictures that are slow to decode: uploads of one account do not delay the document of another.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { blankPng, picture, slowPng } from '../support/pictures.ts';
import { openUploads } from '../support/uploads.ts';

const UPLOADS = 10;
/** Without per-account queues it was 108 s. */
const SOON_MS = 10_000;

const service = await openUploads({ after });

/** Sends pictures of one account concurrently, and meanwhile a small one of another. */
async function flood(files: Buffer[]) {
  const { newOwner, submit, newPlatform } = service;
  const { token } = await newPlatform();
  const [mine, other] = [await newOwner(), await newOwner({}, { token })];
  const uploads = files.map((file) => submit(mine, { file }));
  const file = await picture('png', 8, 8);
  const begin = performance.now();
  const answer = await submit(other, { file, token });
  assert.equal(answer.status, 201, answer.text);
  assert.ok(performance.now() - begin < SOON_MS, `${performance.now() - begin} ms`);
  return Promise.all(uploads);
}

test('refuses ten pictures of one column by their height alone', async () => {
  const file = blankPng(1, 39_999_999);
  for (const { status, body } of await flood(Array.from({ length: UPLOADS }, () => file)))
    assert.ok((status === 400 && body.code === 'BadFile') || (status === 503 && body.code === 'ServiceUnavailable'));
});

test('queues ten of the slowest permitted pictures', async () => {
  const shapes = [
    [6324, 6324],
    [12_000, 3333],
    [3333, 12_000],
  ] as const;
  const files = shapes.map(([width, height]) => slowPng(width, height));
  const answers = await flood(Array.from({ length: UPLOADS }, (_, place) => files[place % files.length]!));
  for (const { status, headers } of answers) {
    assert.ok([201, 400, 503].includes(status), `${status}`);
    if (status === 503) assert.ok(headers['retry-after']);
  }
});
