// Tests of pictures on a machine that has no time for them: nobody is refused or left to a person because a process had to wait.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { useCheckers } from '../../../test/support/checkers.ts';
import { assertRefused, type Body } from '../../../test/support/http.ts';
import { passportSpecimen } from '../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { HANGS_MS, waitUntil } from '../../../test/support/wait.ts';
import { openReader } from './checking/reader.ts';
import { openReaders } from './checking/readers.ts';
import { openPictures } from './picture.ts';

/** Longer than any picture takes, and longer than the limit of wall time that there was. */
const STARVED_MS = 4_000;
const env = { MODE: 'production', AUTO_DECIDE: 'accept-text,reject' };
// Decoders and readers are of one process.
const bare = await openUploads({ after }, { env, processes: 1 });
const reading = await openUploads({ after }, { env: { ...env, DOCUMENT_CHECKERS: 'reader' }, processes: 1 });

test('a picture that is decoded late is accepted, and one that is not decoded gets 503 and can be sent again', async () => {
  const { newOwner, submit, submitted, rowCounts, service } = bare;
  const owner = await newOwner();
  await submitted(owner);
  const late = submit(owner, { file: (await passportSpecimen(5)).picture });
  await starve('decode-process', STARVED_MS);
  assert.equal((await late).status, 201, (await late).text);

  const { documents } = service;
  const usual = documents.pictures;
  const limits = { wallMs: HANGS_MS };
  documents.pictures = openPictures(limits);
  const { picture: file } = await passportSpecimen(6);
  await submitted(await newOwner());
  const before = await rowCounts();
  const stuck = await processes('decode-process');
  for (const pid of stuck) process.kill(pid, 'SIGSTOP');
  limits.wallMs = 100;
  const refused = await submit(owner, { file, key: 'again' });
  limits.wallMs = HANGS_MS;
  for (const pid of stuck) revive(pid);
  assertRefused(refused, { status: 503, code: 'ServiceUnavailable' });
  assert.match(String(refused.headers['retry-after']), /^\d+$/);
  assert.deepEqual(await rowCounts(), before);
  assert.equal((await submit(owner, { file, key: 'again' })).status, 201);
  documents.pictures.close();
  documents.pictures = usual;
});

test('a picture that is read late decides as any other', async () => {
  await read(reading, await passportSpecimen(4));
  await read(reading, await passportSpecimen(7), async () => starve('read-process', STARVED_MS));
});

test('a check that does not come to its end counts as timeout and is tried again until it does', async (t) => {
  const { config, database, sealer, clock, metrics } = bare.service;
  const limits = { wallMs: HANGS_MS };
  const reader = openReader({ config, database, sealer, clock }, openReaders(limits));
  useCheckers(t, bare, [reader], {}, [100, 100, 100]);
  await read(bare, await passportSpecimen(8));
  const timeouts = metrics.documentChecks.runs({ checker: 'reader', outcome: 'timeout' });
  const before = timeouts.total();
  const stuck = await processes('read-process');
  for (const pid of stuck) process.kill(pid, 'SIGSTOP');
  limits.wallMs = 100;
  const reviews = await read(bare, await passportSpecimen(9), async () => {
    await waitUntil('an attempt did not end', () => timeouts.total() > before);
    limits.wallMs = HANGS_MS;
  });
  for (const pid of stuck) revive(pid);
  assert.ok(timeouts.total() > before);
  assert.equal(reviews.total, 1, 'only the attempt that came to its end is recorded');
});

test('a check that never comes to its end is left to a person, who sees why', async (t) => {
  let asked = 0;
  const never = {
    name: 'never',
    version: '1',
    async check() {
      asked++;
      throw new Error('the store is down');
    },
  };
  const { newOwner, submitted, get } = useCheckers(t, bare, [never], {}, [10]);
  const document = await submitted(await newOwner());
  const { _embedded } = await waitUntil('the check is recorded', async () => {
    const reviews = await get(`${document}/reviews`);
    return reviews.total > 0 && reviews;
  });
  assert.equal(asked, 2);
  assert.deepEqual([_embedded.reviews[0].decision, (await get(document)).status], ['undecided', 'pending']);
});

/** Submits the passport of an owner, and waits until it is accepted. Returns its reviews. `during`: while it is checked. */
async function read(
  { newOwner, submitted, get }: typeof bare,
  { person, picture }: Awaited<ReturnType<typeof passportSpecimen>>,
  during = async () => {},
): Promise<Body> {
  const owner = await newOwner(person);
  const [document] = await Promise.all([submitted(owner, { file: picture }), during()]);
  const decided = await waitUntil('the document is decided', async () => {
    const { total } = await get(`${document}/reviews`);
    return total > 0 && (await get(document));
  });
  assert.equal(decided.documentVerificationStatus, 'accepted');
  return get(`${document}/reviews`);
}

/** Stops processes of a program as soon as there is one, for some time. */
async function starve(program: string, ms: number): Promise<void> {
  const pids = await waitUntil('there is a process', async () => {
    const found = await processes(program);
    return found.length > 0 && found;
  });
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) revive(pid);
}

function revive(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has been killed.
  }
}

/** The child processes of this one that run a program. */
async function processes(program: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
  return stdout.split('\n').flatMap((line) => (line.includes(program) ? [Number.parseInt(line, 10)] : []));
}
