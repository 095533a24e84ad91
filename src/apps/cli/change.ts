// `earmark change list|approve|refuse`: changes that wait for a second person; and how commands make changes of people and applications.
import { systemClock } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { Refusal } from '../../core/problems.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { openLinks } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { carryOutRequest } from '../../resources/change-requests/carry-out-request.ts';
import type { Change, Done } from '../../resources/change-requests/change.ts';
import { type ChangeRequest, findRequest, listOpenRequests } from '../../resources/change-requests/change-request.ts';
import { approveRequest, refuseRequest } from '../../resources/change-requests/decide-request.ts';
import { isCarriedOut, makeChange } from '../../resources/change-requests/make-change.ts';
import { findCustomer } from '../../resources/customers/customer.ts';
import { accountClock } from './account-time.ts';
import { commandLineActor } from './actor.ts';
import { UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';
import { withLanes } from './with-lanes.ts';

type RequestCall = { words: readonly [id: string]; json: boolean };

const REFUSED = 1;

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

/** Moves the money of an approved move too, also when a service or an earlier call stopped before it did. */
export async function approve({ words: [id], json }: RequestCall): Promise<number> {
  const { title, state, result, refusal } = await decide(async (tools) => {
    const before = isId(id) ? await findRequest(tools.database.sql, id) : undefined;
    const approved = before && isToCarryOut(before) ? before : await approveRequest(tools, commandLineActor(), id);
    return isToCarryOut(approved) ? carryOut(tools, approved) : approved;
  }, id);
  print({ change_id: id, change: title, state, ...(result !== null && { result }), ...(refusal !== null && { refusal }) }, json);
  return state === 'failed' ? REFUSED : 0;
}

function isToCarryOut({ wanted, state }: ChangeRequest): boolean {
  return state === 'approved' && isCarriedOut(wanted);
}

async function carryOut(tools: CommandTools, { id, wanted }: ChangeRequest): Promise<ChangeRequest> {
  const { sql } = tools.database;
  const customer = wanted.kind === 'move_money' ? await findCustomer(sql, wanted.customerId) : undefined;
  const clock = customer ? await accountClock(sql, customer.accountId) : systemClock;
  const sealer = await openSealerOf(tools);
  return withLanes(tools, clock, (opened) => carryOutRequest({ ...tools, ...opened, clock, sealer }, commandLineActor(), id));
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

type CommandTools = Tools & { links: ReturnType<typeof openLinks> };

function decide<T>(work: (tools: CommandTools) => Promise<T>, id: string): Promise<T> {
  return withDatabase((tools) => work({ ...tools, links: openLinks(tools.config) })).catch((error: unknown) => {
    if (error instanceof Refusal && error.problem === 'notFound') throw new UsageError(`There is no change ${id}.`);
    return asUsageError(error);
  });
}

/** Throws what the ledger or a resource refuses as a UsageError. */
export function asUsageError(error: unknown): never {
  throw error instanceof Refusal ? new UsageError(error.message) : error;
}
