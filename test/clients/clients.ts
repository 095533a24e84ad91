// Clients of others get a token with a key (private_key_jwt) and call with it, bound to a key (DPoP) where the library can.
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { exportJWK } from 'jose';
import { PYTHON, runTool } from '../generated-client/round.ts';
import { newKey, securedClient } from '../support/client-keys.ts';
import { openClient } from '../support/oauth.ts';
import { scratch } from '../support/process.ts';
import { startService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';

/** What each program prints: the type of its token, and the statuses of two calls. */
type Printed = { tokenType: string; statuses: number[] };
/** Runs a program with an environment. Returns its output. */
type Run = (env: Record<string, string>, folder: string) => Promise<string>;

const PROGRAMS = join(import.meta.dirname, 'programs');
const GO_MODULES = ['golang.org/x/oauth2', 'github.com/golang-jwt/jwt/v5'];

const service = await openClient(await startService({ after }));

/** The application requires DPoP if the client has it, so that no other token would do. */
async function assertClient(t: TestScope, tokenType: 'Bearer' | 'DPoP', run: Run): Promise<void> {
  const key = await newKey();
  const requiredBinding = tokenType === 'DPoP' ? 'dpop' : null;
  const { client_id } = await securedClient(service, { keys: [key.jwk], requiredBinding, isSecretForbidden: true });
  const env = { BASE_URL: service.url, CLIENT_ID: client_id, PRIVATE_JWK: JSON.stringify(await exportJWK(key.privateKey)) };
  const printed = JSON.parse(await run(env, scratch(t))) as Printed;
  assert.deepEqual(printed, { tokenType, statuses: [200, 200] });
}

/** Runs a command. Standard output is what the program prints. */
async function outputOf(command: string, args: string[], how: { cwd?: string; env: Record<string, string> }): Promise<string> {
  return (await runTool(command, args, how)).stdout;
}

for (const name of ['oauth4webapi', 'openid-client']) {
  test(`npm: ${name}, with DPoP`, (t) =>
    assertClient(t, 'DPoP', (env) => outputOf(process.execPath, [join(PROGRAMS, `${name}.ts`)], { env })));
}

test('PyPI: authlib, which has no DPoP', (t) =>
  assertClient(t, 'Bearer', (env) => outputOf(PYTHON, [join(PROGRAMS, 'authlib_client.py')], { env })));

test('Go: golang.org/x/oauth2, which has no DPoP', (t) =>
  assertClient(t, 'Bearer', async (env, cwd) => {
    copyFileSync(join(PROGRAMS, 'oauth2.go'), join(cwd, 'main.go'));
    writeFileSync(join(cwd, 'go.mod'), 'module example.com/client\n\ngo 1.24\n');
    await runTool('go', ['get', ...GO_MODULES], { cwd });
    return outputOf('go', ['run', '.'], { cwd, env });
  }));

test('Maven: spring-security-oauth2-client, with the DPoP of its Nimbus library', (t) =>
  assertClient(t, 'DPoP', async (env, cwd) => {
    copyFileSync(join(PROGRAMS, 'pom.xml'), join(cwd, 'pom.xml'));
    await runTool('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], { cwd });
    return outputOf('java', ['-cp', 'lib/*', join(PROGRAMS, 'SpringClient.java')], { cwd, env });
  }));
