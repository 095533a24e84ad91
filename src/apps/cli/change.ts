// `earmark change list|approve|refuse`: changes that wait for a second person; and how commands make changes of people and applications.
import { hostname, userInfo } from 'node:os';
import { Refusal } from '../../core/problems.ts';
import type { Actor } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { openLinks } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Change, Done } from '../../resources/change-requests/change.ts';
import { listOpenRequests } from '../../resources/change-requests/change-request.ts';
import { approveRequest, refuseRequest } from '../../resources/change-requests/decide-request.ts';
import { makeChange } from '../../resources/change-requests/make-change.ts';
import { UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { type Tools, withDatabase } from './with-database.ts';

type RequestCall = { words: readonly [id: string]; json: boolean };

export async function list({ json }: { json: boolean }): Promise<number> {
  const requests = await withDatabase(({ database }) => listOpenRequests(database.sql), requireMigrated);
  const rows = requests.map(({ id, title, lines, asker, created, expires, state }) => ({
    change_id: id,
    change: title,
    details: lines.map(([name, text]) => `${name}: ${text}`).join('; '),
    asked_by: asker,
    created: created.toISOString(),
    expires: expires.toISOString(),
    state,
  }));
  if (json) print({ changes: rows }, true);
  else printTable(rows, 'No change waits for a second person.');
  return 0;
}

export async function approve({ words: [id], json }: RequestCall): Promise<number> {
  const { title, state } = await decide((tools) => approveRequest(tools, commandLineActor(), id), id);
  print({ change_id: id, change: title, state }, json);
  return 0;
}

export async function refuse({ words: [id], json }: RequestCall): Promise<number> {
  await decide((tools) => refuseRequest(tools, commandLineActor(), id), id);
  print({ change_id: id, state: 'refused' }, json);
  return 0;
}

/** Makes a change at once: on the machine of the service no second person is asked. */
export async function change(tools: Tools & { sealer?: Sealer }, wanted: Change): Promise<Done> {
  const made = await makeChange({ ...tools, links: openLinks(tools.config) }, commandLineActor(), wanted).catch(asUsageError);
  if (made.waits !== undefined) throw new Error('the command line asks nobody');
  return made;
}

/** The user of this machine, as the audit log names them. */
export function commandLineActor(): Actor {
  return { operatorId: null, name: `${userInfo().username} (command line)`, place: hostname() };
}

function decide<T>(work: (tools: Tools & { links: ReturnType<typeof openLinks> }) => Promise<T>, id: string): Promise<T> {
  return withDatabase((tools) => work({ ...tools, links: openLinks(tools.config) })).catch((error: unknown) => {
    if (error instanceof Refusal && error.problem === 'notFound') throw new UsageError(`There is no change ${id}.`);
    return asUsageError(error);
  });
}

/** Throws what the ledger or a resource refuses as a UsageError. */
export function asUsageError(error: unknown): never {
  throw error instanceof Refusal ? new UsageError(error.message) : error;
}
