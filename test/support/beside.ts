// A second service as a separate process on the database and under the URL of a first, as behind a load balancer.
import assert from 'node:assert/strict';
import http from 'node:http';
import { freePort } from './free-port.ts';
import { request } from './http.ts';
import type { Call } from './platform.ts';
import { type Env, startCli } from './process.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';

/** The first service. A second one stops before those that list it in `besides`. */
type Home = { databaseUrl: string; dataDir: string; url: string; besides?: (() => Promise<void>)[] };

/** Starts the second service on its own port, or on PORT, and waits until it is ready; it ends with `t` at the latest. */
export async function startBeside(t: TestScope, home: Home, env: Env = {}) {
  const port = Number(env.PORT ?? (await freePort()));
  const { child, ended, stderr } = startCli(t, ['serve'], {
    DATABASE_URL: home.databaseUrl,
    DATA_DIR: home.dataDir,
    PUBLIC_URL: home.url,
    MODE: 'sandbox',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    ...env,
    PORT: String(port),
  });
  const agent = new http.Agent({ keepAlive: true });
  home.besides?.push(async () => {
    agent.destroy();
    child.kill('SIGTERM');
    await ended;
  });
  const send: Call = (method, path, options = {}) =>
    request({ agent, port, method, path: path.replace(home.url, ''), ...options });
  await waitUntil('the second service is ready', async () => {
    assert.equal(child.exitCode, null, stderr());
    return (await send('GET', '/health/ready').catch(() => undefined))?.status === 200;
  });
  return { port, pid: child.pid!, child, ended, send };
}
