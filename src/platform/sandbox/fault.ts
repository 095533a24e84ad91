// Planned faults: schema, queries and representation. A fault affects one account's next calls of an operation, or its next deliveries.
import type { Static } from 'typebox';
import { newId, randomBucket } from '../../core/ids.ts';
import { type Fault, invalid, type ProblemName } from '../../core/problems.ts';
import { CHECKED_LATER, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { fragment, type Sql } from '../db/sql.ts';
import { LinkSchema, type Links } from '../http/links.ts';
import { requireOwned } from '../http/owned.ts';
import { IdSchema } from '../http/paging.ts';

export type PlannedFault = {
  id: string;
  accountId: string;
  operation: string;
  remaining: number;
  status: number | null;
  delayMs: number;
  cut: boolean;
  effect: boolean;
  created: Date;
};

/** The operation name for the delivery of a webhook. */
const DELIVERY = 'deliverWebhook';
/** The one public operation that can have faults. */
export const TOKEN_OPERATION = 'createToken';
/** The statuses that a fault can return for an operation. */
export const ANSWERS: Record<number, ProblemName> = {
  401: 'expiredAccessToken',
  429: 'tooManyRequests',
  500: 'serverError',
  503: 'unavailable',
};
const TIMES_MAX = 10_000;
const DELAY_MAX_MS = 60_000;
/** Must stay below a worker's lease of a delivery. */
const DELIVERY_DELAY_MAX_MS = 30_000;

const members = {
  operation: Type.String({
    description: `The operationId of an operation that requires a token, \`${TOKEN_OPERATION}\`, or \`${DELIVERY}\` for webhook deliveries.`,
    [CHECKED_LATER]: { pattern: '^[A-Za-z]+$' },
  }),
  status: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 599,
      description: `Status of the response. For an operation one of ${Object.keys(ANSWERS).join(', ')}; for a delivery any.`,
    }),
  ),
  cut: Type.Optional(Type.Boolean({ description: 'Close the connection without a response.' })),
  delayMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: DELAY_MAX_MS, description: 'Delay in milliseconds before anything else.' }),
  ),
  effect: Type.Optional(
    Type.Boolean({
      description:
        'Whether the operation is executed and only its response is lost, as a test of Idempotency-Key. Default: false.',
    }),
  ),
};

export const FaultRequest = Type.Object(
  {
    ...members,
    times: Type.Optional(
      Type.Integer({ minimum: 1, maximum: TIMES_MAX, description: 'Number of requests that get the fault. Default: 1.' }),
    ),
  },
  { title: 'FaultRequest', ...STRICT },
);

export const FaultSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    ...members,
    remaining: Type.Integer({ minimum: 0, description: 'Number of requests that will still get the fault.' }),
  },
  {
    title: 'PlannedFault',
    description: 'A fault planned for the next requests of an operation, or for the next webhook deliveries.',
  },
);

export const FaultList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    _embedded: Type.Object({ faults: Type.Array(FaultSchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'PlannedFaultList' },
);

/** Throws ValidationError for values that contradict each other. `operations` are the operationIds that can have faults. */
export function checkFault(request: Static<typeof FaultRequest>, operations: ReadonlySet<string>): void {
  const { operation, status, cut, delayMs, effect } = request;
  const faults: Fault[] = [];
  const fault = (path: string, message: string) => faults.push({ code: 'Invalid', path, message });
  if (operation !== DELIVERY && !operations.has(operation))
    fault(
      '/operation',
      `Operation must be the operationId of an operation that requires a token, ${TOKEN_OPERATION}, or ${DELIVERY}.`,
    );
  if (status === undefined && !cut && !delayMs) fault('', 'A fault needs status, cut or delayMs.');
  if (status !== undefined && cut) fault('/cut', 'Cut cannot be combined with status: it sends no response.');
  if (effect && status === undefined && !cut) fault('/effect', 'Effect needs status or cut.');
  if (status !== undefined && operation !== DELIVERY && !(status in ANSWERS))
    fault('/status', `Status must be one of ${Object.keys(ANSWERS).join(', ')}.`);
  if (operation === DELIVERY && (delayMs ?? 0) > DELIVERY_DELAY_MAX_MS)
    fault('/delayMs', `Delay ms of a delivery must be at most ${DELIVERY_DELAY_MAX_MS}.`);
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
}

export async function planFault(
  sql: Sql,
  accountId: string,
  request: Static<typeof FaultRequest>,
  created: Date,
): Promise<string> {
  const { operation, status = null, cut = false, delayMs = 0, effect = false, times = 1 } = request;
  const id = newId(randomBucket());
  await sql`
    insert into planned_fault (id, account_id, operation, remaining, status, delay_ms, cut, effect, created)
    values (${id}, ${accountId}, ${operation}, ${times}, ${status}, ${delayMs}, ${cut}, ${effect}, ${created})`;
  return id;
}

const columns = fragment`id, account_id, operation, remaining, status, delay_ms, cut, effect, created`;

/** Returns a fault of the caller's account. Refuses as requireOwned does. */
export async function requireFault(sql: Sql, caller: { accountId: string }, id: string): Promise<PlannedFault> {
  return requireOwned(await findFault(sql, id), caller);
}

export async function findFault(sql: Sql, id: string): Promise<PlannedFault | undefined> {
  const [fault] = await sql<PlannedFault>`
    select ${columns} from planned_fault where id = ${id}`;
  return fault;
}

/** An account's faults that have calls remaining, newest first. */
export async function listFaults(sql: Sql, accountId: string): Promise<PlannedFault[]> {
  return sql<PlannedFault>`
    select ${columns} from planned_fault where account_id = ${accountId} and remaining > 0
    order by id desc`;
}

/** Uses the oldest fault planned for an operation once, or returns undefined if there is none. */
export async function takeOldestFault(sql: Sql, accountId: string, operation: string): Promise<PlannedFault | undefined> {
  const [fault] = await sql<PlannedFault>`
    update planned_fault set remaining = remaining - 1
    where id = (
      select id from planned_fault where account_id = ${accountId} and operation = ${operation} and remaining > 0
      order by id limit 1 for update)
      and remaining > 0
    returning ${columns}`;
  return fault;
}

export async function removeFault(sql: Sql, id: string): Promise<void> {
  await sql`delete from planned_fault where id = ${id}`;
}

export function represent(links: Links, fault: PlannedFault): Static<typeof FaultSchema> {
  const { id, operation, remaining, status, cut, delayMs, effect, created } = fault;
  return {
    _links: { self: links.link(`/sandbox/faults/${id}`, 'fault') },
    id,
    created: created.toISOString(),
    operation,
    ...(status !== null && { status }),
    ...(cut && { cut }),
    ...(delayMs > 0 && { delayMs }),
    ...(effect && { effect }),
    remaining,
  };
}
