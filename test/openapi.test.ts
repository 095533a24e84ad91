// The committed openapi.json is what the service serves, and the client's types are made of it; `npm run openapi` writes both anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Examples } from '../src/http/openapi/examples.ts';
import { clientTypes } from './client-types.ts';
import { examplesOf } from './examples.ts';
import { startService } from './harness.ts';
import { openStory, tellAll, tellTheEnd } from './story.ts';

const FILE = join(import.meta.dirname, '..', 'openapi.json');
const EXAMPLES = join(import.meta.dirname, '..', 'reference/examples.json');
const TYPES = join(import.meta.dirname, '..', 'src/client/openapi.ts');

test('the examples of openapi.json are what a sandbox answers', async (t) => {
  const story = await openStory(t);
  const there = await tellAll(t, story);
  const received = [...there.subscription.receiver.received];
  await tellTheEnd(story, there);
  const recorded = examplesOf(story, received);
  if (process.env.OPENAPI_WRITE) writeFileSync(EXAMPLES, `${JSON.stringify(recorded, null, 2)}\n`);
  const committed = JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;
  for (const part of ['operations', 'webhooks', 'sandbox'] as const)
    for (const [name, example] of Object.entries(recorded[part]))
      assert.deepEqual(
        (committed[part] as Record<string, unknown>)[name],
        example,
        `${name} answers otherwise now: run \`npm run openapi\` and commit the result`,
      );
  assert.deepEqual(committed, recorded);
});

test('openapi.json is up to date', async (t) => {
  const { send } = await startService(t);
  const answer = await send('GET', '/openapi.json');
  const served = `${JSON.stringify(answer.body, null, 2)}\n`;
  if (process.env.OPENAPI_WRITE) writeFileSync(FILE, served);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.body.openapi, '3.1.0');
  assert.equal(readFileSync(FILE, 'utf8'), served, 'run `npm run openapi` and commit the result');
});

test("the client's types are made of openapi.json", async () => {
  const made = await clientTypes(JSON.parse(readFileSync(FILE, 'utf8')));
  if (process.env.OPENAPI_WRITE) writeFileSync(TYPES, made);
  assert.equal(readFileSync(TYPES, 'utf8'), made, 'run `npm run openapi` and commit the result');
});

test('two linters find nothing wrong with it', async () => {
  const source = readFileSync(FILE, 'utf8');
  const rules = {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'operation-description': 'error',
    // Health, and what clients of OAuth read first, refuse nobody.
    'operation-4xx-response': 'off',
    'tag-description': 'error',
  } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const found = await lintFromString({ source, absoluteRef: FILE, config });
  assert.deepEqual(
    found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
  const { valid, errors } = await new Validator().validate(JSON.parse(source));
  assert.ok(valid, JSON.stringify(errors));
});
