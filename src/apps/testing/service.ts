// Starts one service for a test suite in this process, with an account and a client.
import { pino } from 'pino';
import { Earmark } from '../../../packages/client/src/client.ts';
import { readConfig, settings } from '../../platform/config/config.ts';
import { createAccount } from '../../resources/accounts/account.ts';
import { createApplication } from '../../resources/oauth/application.ts';
import { SCOPES } from '../../resources/oauth/scope.ts';
import { startServer } from '../api/server.ts';

/** Starts a service with exactly these settings; the environment is ignored. */
export async function startTestService(given: Record<string, string>) {
  const unset = Object.fromEntries(settings.map(({ name }) => [name, '']));
  const config = readConfig({ ...unset, ...given });
  const connection = { url: given.DATABASE_URL!, ownerUrl: given.DATABASE_URL!, stop: async () => {} };
  const log = pino({ level: config.logLevel }, pino.destination({ fd: process.stderr.fd, sync: true }));
  const { service, url, stop } = await startServer(config, log, { connection });
  const { database, sealer } = service;
  const account = await createAccount(database.sql, 'Test');
  const { client_id, client_secret } = await database.transaction((tx) =>
    createApplication(tx, sealer, { accountId: account.id, name: 'Test', scopes: [...SCOPES] }),
  );
  const credentials = { url, clientId: client_id, clientSecret: client_secret };
  const client = new Earmark({ ...credentials, mediaTypeVendor: config.mediaTypeVendor });
  const reset = async () => {
    await client.sandbox.reset();
  };
  return { ...credentials, accountId: account.id, client, reset, stop };
}
