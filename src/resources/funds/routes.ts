// Deposit and withdrawal routes: record one for a customer, retrieve one, list a customer's.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import { findParts, findTransfer, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { idempotencyOf } from '../../platform/idempotency/key.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import { requireCustomer } from '../customers/customer.ts';
import { transferPage } from '../transfers/list.ts';
import { TransferQuery } from '../transfers/query.ts';
import { requireFundedCustomer } from './funded-customer.ts';
import { DepositRequest, type MovementKind, MovementSchema, represent, WithdrawalRequest } from './movement.ts';
import { recordDeposit, recordWithdrawal } from './record.ts';

type Tools = { clock: Clock; database: Database; lanes: Lanes; links: Links };

const KINDS = ['deposit', 'withdrawal'] as const;
const NOUNS: Record<MovementKind, string> = { deposit: 'Deposit', withdrawal: 'Withdrawal' };

export function fundsRoutes(app: App, service: Tools): void {
  addCreateDeposit(app, service);
  addCreateWithdrawal(app, service);
  for (const kind of KINDS) {
    addGetMovement(app, service, kind);
    addListMovements(app, service, kind);
  }
}

function addCreateDeposit(app: App, service: Tools): void {
  const { links, database } = service;

  app.post(
    '/customers/:id/deposits',
    {
      config: { scope: 'funds', missing: 'customerNotFound', problems: ['customerNotVerified', 'externalIdTaken'] },
      schema: {
        operationId: 'createDeposit',
        summary: 'Record a deposit',
        description:
          "Records money that entered the customer's available balance on the bank side. An active allocation rule in its currency moves parts of it to labels in the same transaction; a deposit is never refused because of a rule. What the customer owes is paid first.",
        tags: ['deposits'],
        params: IdParams,
        body: DepositRequest,
        ...creates(MovementSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireFundedCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const answer = await recordDeposit(service, customer, request.body, idempotencyOf(request));
      return sendResponse(reply, links, answer);
    },
  );
}

function addCreateWithdrawal(app: App, service: Tools): void {
  const { links, database } = service;

  app.post(
    '/customers/:id/withdrawals',
    {
      config: {
        scope: 'funds',
        missing: 'customerNotFound',
        problems: ['customerNotVerified', 'labelNotFound', 'externalIdTaken'],
      },
      schema: {
        operationId: 'createWithdrawal',
        summary: 'Record a withdrawal',
        description:
          "Records money that left the customer's available balance on the bank side, or a label: then one transfer moves it from the label out.",
        tags: ['withdrawals'],
        params: IdParams,
        body: WithdrawalRequest,
        ...creates(MovementSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireFundedCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const answer = await recordWithdrawal(service, customer, request.body, idempotencyOf(request));
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
        description: `A recorded ${kind} never changes. \`returned\` is the sum of its returns by the bank.`,
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
        querystring: TransferQuery,
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

/** Transfers of one customer, the deposits with their allocations and repayments. */
async function representAll(
  { links, database }: Pick<Tools, 'links' | 'database'>,
  kind: MovementKind,
  transfers: StoredTransfer[],
) {
  const ids = transfers.map(({ id }) => id);
  const parts = kind === 'deposit' && ids.length > 0 ? await findParts(database.sql, bucketOf(ids[0]!), ids) : undefined;
  return transfers.map((transfer) => represent(links, kind, transfer, parts?.get(transfer.id)));
}
