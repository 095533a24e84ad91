// The one-time link to the console that the start message of a sandbox shows.
import { sandboxStart, writeAudit } from '../../ledger/audit/audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { createLink } from './link.ts';
import { createOperator, findOperator } from './operator.ts';

type Tools = { config: Config; database: Database; sealer: Sealer; links: Links };

/** The person of a sandbox. */
export const SANDBOX_ADMIN = 'admin';

/** The link, if the start message has a reader. */
export async function linkForTerminal(service: Tools): Promise<string | undefined> {
  return process.stderr.isTTY ? linkToConsole(service) : undefined;
}

/** A new link for the administrator of a sandbox; undefined without a console, or when that person is disabled. */
async function linkToConsole({ config, database, sealer, links }: Tools): Promise<string | undefined> {
  if (!config.console || config.mode !== 'sandbox') return undefined;
  const actor = sandboxStart();
  return database.transaction(async (tx) => {
    const known = await findOperator(tx, { name: SANDBOX_ADMIN });
    // Another process may create the person at the same time: then it is found.
    const made = known ? undefined : await createOperator(tx, { name: SANDBOX_ADMIN, roles: ['admin'] });
    const admin = known ?? made ?? (await findOperator(tx, { name: SANDBOX_ADMIN }));
    if (!admin || admin.disabled) return undefined;
    const resource = { type: 'operator', id: admin.id };
    if (made)
      await writeAudit(tx, actor, { action: 'create_operator', resource, detail: { name: SANDBOX_ADMIN, roles: made.roles } });
    const link = links.url(await createLink(tx, sealer, admin.id));
    await writeAudit(tx, actor, { action: 'create_link', resource });
    return link;
  });
}
