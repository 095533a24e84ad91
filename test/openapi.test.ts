// The committed openapi.json equals the served document, and the client types are generated from it; `npm run openapi` updates
// both.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import type { Examples } from '../src/platform/http/openapi/examples.ts';
import { clientTypes } from './support/client-types.ts';
import { BASE, examplesOf } from './support/examples.ts';
import { openScenario, removeAll, runScenario } from './support/scenario.ts';
import { startService } from './support/service.ts';

const FILE = join(import.meta.dirname, '..', 'openapi.json');
const EXAMPLES = join(import.meta.dirname, '..', 'reference/examples.json');
const TYPES = join(import.meta.dirname, '..', 'packages/client/src/openapi.ts');

const REDOCLY_RULES_OFF = {
  // Media types, paths and topics are fixed by the interface.
  'operation-4xx-problem-details-rfc7807': 'off',
  'path-segment-plural': 'off',
  'paths-kebab-case': 'off',
  'request-mime-type': 'off',
  'response-mime-type': 'off',
  // The committed document has the URL of a local service.
  'no-server-example.com': 'off',
  // Health checks and OAuth discovery have no errors.
  'operation-4xx-response': 'off',
  // Tags and methods are in reading order.
  'path-http-verbs-order': 'off',
  'tags-alphabetical': 'off',
  // Branches of `if` name members of the enclosing schema.
  'no-required-schema-properties-undefined': 'off',
  // Examples are whole bodies, and not every string has a minimum length.
  'required-string-property-missing-min-length': 'off',
  'scalar-property-missing-example': 'off',
} as const;
const SPECTRAL_RULES_OFF = {
  // Operators are reached by the service's URL; no setting has an email address.
  'contact-properties': 'off',
  'openapi-tags-alphabetical': 'off',
} as const;

test("the examples of openapi.json are a sandbox's responses", async (t) => {
  const scenario = await openScenario(t);
  const there = await runScenario(t, scenario);
  const received = [...there.subscription.receiver.received];
  await removeAll(scenario, there);
  const recorded = examplesOf(scenario, received);
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
  const { send, url } = await startService(t);
  const answer = await send('GET', '/openapi.json');
  const served = `${JSON.stringify(answer.body, null, 2)}\n`.replaceAll(url, BASE);
  if (process.env.OPENAPI_WRITE) writeFileSync(FILE, served);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.body.openapi, '3.1.0');
  assert.equal(readFileSync(FILE, 'utf8'), served, 'run `npm run openapi` and commit the result');
});

test('the client types are generated from openapi.json', async () => {
  const made = await clientTypes(JSON.parse(readFileSync(FILE, 'utf8')));
  if (process.env.OPENAPI_WRITE) writeFileSync(TYPES, made);
  assert.equal(readFileSync(TYPES, 'utf8'), made, 'run `npm run openapi` and commit the result');
});

test('Redocly reports no problem', async () => {
  const config = await createConfig({ extends: ['all'], rules: REDOCLY_RULES_OFF });
  const found = await lintFromString({ source: readFileSync(FILE, 'utf8'), absoluteRef: FILE, config });
  assert.deepEqual(
    found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
});

test('Spectral reports no problem', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'all']], rules: SPECTRAL_RULES_OFF });
  const found = await linter.run(readFileSync(FILE, 'utf8'));
  assert.deepEqual(
    found.map(({ code, message, path }) => [code, message, path.join('/')]),
    [],
  );
});
