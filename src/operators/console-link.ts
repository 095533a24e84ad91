// The one-time link to the console that the start message of a sandbox shows.
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { Links } from '../http/links.ts';
import type { Sealer } from '../sealing.ts';
import { createLink } from './link.ts';
import { createOperator, findOperator } from './operator.ts';

type Tools = { config: Config; database: Database; sealer: Sealer; links: Links };

/** The person of a sandbox. */
const NAME = 'admin';

/** The link, if the start message has a reader. */
export async function linkForTerminal(service: Tools): Promise<string | undefined> {
  return process.stderr.isTTY ? linkToConsole(service) : undefined;
}

/** A new link for the administrator of a sandbox; undefined without a console, or when that person is disabled. */
async function linkToConsole({ config, database, sealer, links }: Tools): Promise<string | undefined> {
  if (!config.console || config.mode !== 'sandbox') return undefined;
  const find = () => findOperator(database.sql, { name: NAME });
  // Another process may create the person at the same time: then it is found.
  const admin = (await find()) ?? (await createOperator(database.sql, { name: NAME, roles: ['admin'] })) ?? (await find());
  if (!admin || admin.disabled) return undefined;
  return links.url(await database.transaction((tx) => createLink(tx, sealer, admin.id)));
}
