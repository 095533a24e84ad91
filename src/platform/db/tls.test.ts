// TLS to an external PostgreSQL whose certificate is of a private authority.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createAuthority } from '../../../test/support/certificates.ts';
import { query } from '../../../test/support/database.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { assertOneLine, type Env, runCli, scratch, serve } from '../../../test/support/process.ts';
import { startEmbedded } from './embedded.ts';

const folder = scratch({ after });
const authority = await createAuthority(folder, 'private');
const other = await createAuthority(folder, 'other');
const { certificate, key } = await authority.certify('localhost');
const port = await freePort();
const server = await startEmbedded({
  dataDir: join(folder, 'server'),
  throwAway: true,
  settings: { listen_addresses: '127.0.0.1', port: String(port), ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key },
});
after(server.stop);

/** The settings of a service that connects by TCP, with parameters of TLS. */
function settingsWith(parameters: string, host = 'localhost'): Env {
  const { username, password } = new URL(server.url.replace('@/', '@host/'));
  const DATABASE_URL = `postgres://${username}:${password}@${host}:${port}/earmark?${parameters}`;
  return { DATABASE_URL, DATA_DIR: join(folder, 'data'), MODE: 'sandbox', PORT: '0' };
}

test('every connection of a service is encrypted, to a server that the named authority certifies', async (t) => {
  const service = await serve(t, settingsWith(`sslmode=verify-full&sslrootcert=${authority.ca}`));
  assert.equal(service.stderr(), '');
  const sessions = await query<{ ssl: boolean; count: number }>(
    server.url,
    'select ssl, count(*)::int as count from pg_stat_ssl join pg_stat_activity using (pid) where client_addr is not null group by ssl',
  );
  assert.deepEqual(
    sessions.map(({ ssl }) => ssl),
    [true],
  );
  assert.ok(sessions[0]!.count > 2);
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
});

test('a server of another authority, or with another name, is refused in one line that says what to do', async (t) => {
  const refusals: [Env, RegExp][] = [
    [settingsWith(`sslmode=verify-full&sslrootcert=${other.ca}`), /certificate.*sslrootcert=FILE/],
    [settingsWith('sslmode=verify-full'), /certificate.*sslrootcert=FILE/],
    [settingsWith(`sslmode=verify-full&sslrootcert=${authority.ca}`, '127.0.0.1'), /IP: 127\.0\.0\.1 is not in the cert's list/],
    [settingsWith(`sslmode=verify-full&sslrootcert=${folder}/none.pem`), /no such file or directory, open '\S+none\.pem'/],
  ];
  for (const [env, pattern] of refusals) assertOneLine(await runCli(t, ['serve'], env), pattern);
});
