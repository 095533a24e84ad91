// Deposit and withdrawal routes: record one for a customer, retrieve one, list a customer's.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import { findAllocations, findTransfer, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { LongPeriodQuery } from '../../platform/http/moments.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { idempotencyOf } from '../../platform/idempotency/key.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import { requireCustomer } from '../customers/customer.ts';
import { transferPage } from '../transfers/list.ts';
import { type MovementKind, MovementRequest, MovementSchema, recordMovement, represent } from './movement.ts';

type Tools = { clock: Clock; database: Database; lanes: Lanes; links: Links };

const KINDS = ['deposit', 'withdrawal'] as const;
const NOUNS: Record<MovementKind, string> = { deposit: 'Deposit', withdrawal: 'Withdrawal' };
const DESCRIPTIONS: Record<MovementKind, string> = {
  deposit:
    "Records money that entered the customer's available balance on the bank side. An active allocation rule in its currency moves parts of it to labels in the same transaction; a deposit is never refused because of a rule.",
  withdrawal: "Records money that left the customer's available balance on the bank side.",
};

export function fundsRoutes(app: App, service: Tools): void {
  for (const kind of KINDS) {
    addCreateMovement(app, service, kind);
    addGetMovement(app, service, kind);
    addListMovements(app, service, kind);
  }
}

function addCreateMovement(app: App, service: Tools, kind: MovementKind): void {
  const { links, database } = service;

  app.post(
    `/customers/:id/${kind}s`,
    {
      config: { scope: 'funds', missing: 'customerNotFound', problems: ['customerNotVerified', 'externalIdTaken'] },
      schema: {
        operationId: `create${NOUNS[kind]}`,
        summary: `Record a ${kind}`,
        description: DESCRIPTIONS[kind],
        tags: [`${kind}s`],
        params: IdParams,
        body: MovementRequest,
        ...creates(MovementSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const answer = await recordMovement(service, kind, customer, request.body, idempotencyOf(request));
      return sendResponse(reply, links, answer);
    },
  );
}

function addGetMovement(app: App, { links, database }: Tools, kind: MovementKind): void {
  app.get(
    `/${kind}s/:id`,
    {
      config: { scope: 'read' },
      schema: {
        operationId: `get${NOUNS[kind]}`,
        summary: `Retrieve a ${kind}`,
        description: `A recorded ${kind} never changes.`,
        tags: [`${kind}s`],
        params: IdParams,
        response: { 200: MovementSchema },
      },
    },
    async (request) => {
      const transfer = requireOwned(await findTransfer(database.sql, request.params.id, kind), request.caller);
      const [movement] = await representAll({ links, database }, kind, [transfer]);
      return movement!;
    },
  );
}

function addListMovements(app: App, { links, database }: Tools, kind: MovementKind): void {
  app.get(
    `/customers/:id/${kind}s`,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: `list${NOUNS[kind]}s`,
        summary: `List the ${kind}s of a customer`,
        description: 'Newest first.',
        tags: [`${kind}s`],
        params: IdParams,
        querystring: LongPeriodQuery,
        response: { 200: ListOf(`${kind}s`, MovementSchema, `${NOUNS[kind]}List`) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return transferPage({ links, sql: database.sql }, customer, request.query, {
        kinds: [kind],
        name: `${kind}s`,
        resourceType: kind,
        represent: (transfers) => representAll({ links, database }, kind, transfers),
      });
    },
  );
}

/** Transfers of one customer, the deposits with their allocations. */
async function representAll(
  { links, database }: Pick<Tools, 'links' | 'database'>,
  kind: MovementKind,
  transfers: StoredTransfer[],
) {
  const allocated = transfers.filter(({ ruleId }) => ruleId !== null).map(({ id }) => id);
  const allocations = allocated.length > 0 ? await findAllocations(database.sql, bucketOf(allocated[0]!), allocated) : undefined;
  return transfers.map((transfer) => represent(links, kind, transfer, allocations?.get(transfer.id)));
}
