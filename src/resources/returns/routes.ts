// Return routes: return a deposit or a withdrawal, list the returns of one, retrieve a return.
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { findTransfer, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { listReversals } from '../../ledger/transfers/transfer-list.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { returnDeposit, returnWithdrawal } from './record.ts';
import { DepositReturnRequest, RETURN_KINDS, ReturnSchema, representAll, WithdrawalReturnRequest } from './return.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };
type Request = { params: { id: string }; caller: { accountId: string } };
type Original = 'deposit' | 'withdrawal';

const tags = ['returns'];
const ORIGINALS: Record<Original, string> = { deposit: 'Deposit', withdrawal: 'Withdrawal' };

export function returnRoutes(app: App, service: Tools): void {
  addReturnDeposit(app, service);
  addReturnWithdrawal(app, service);
  addListReturns(app, service, 'deposit');
  addListReturns(app, service, 'withdrawal');
  addGetReturn(app, service);
}

function addReturnDeposit(app: App, service: Tools): void {
  const { clock } = service;

  app.post(
    '/deposits/:id/returns',
    {
      config: { scope: 'funds', problems: ['fullyReturned', 'externalIdTaken'] },
      schema: {
        operationId: 'returnDeposit',
        summary: 'Return a deposit',
        description:
          'Records that the bank took a deposit back, or a part of it. The money comes from the available balance, then from the labels that the allocations of the deposit filled, the last step first. From such a label it takes what is needed, also money that came from elsewhere: of a label that had 1,000.00 and got 25.00 of a deposit of 100.00, a return takes 100.00 if the other 75.00 are spent. What is held is not taken. If that is not enough, the return is refused, or the rest is owed by the customer and paid by the next deposits. All returns of a deposit together are at most its amount. Also works while the customer is suspended.',
        tags,
        params: IdParams,
        body: DepositReturnRequest,
        ...creates(ReturnSchema),
      },
    },
    async (request, reply) =>
      recordOnce(service, request, reply, 'deposit', (tx, original) =>
        returnDeposit(tx, original, request.body, clock.now(original.accountId)),
      ),
  );
}

function addReturnWithdrawal(app: App, service: Tools): void {
  const { clock } = service;

  app.post(
    '/withdrawals/:id/returns',
    {
      config: { scope: 'funds', problems: ['fullyReturned', 'externalIdTaken'] },
      schema: {
        operationId: 'returnWithdrawal',
        summary: 'Return a withdrawal',
        description:
          'Records that a withdrawal came back, or a part of it: to the label that it left, or to the available balance. All returns of a withdrawal together are at most its amount. Also works while the customer is suspended.',
        tags,
        params: IdParams,
        body: WithdrawalReturnRequest,
        ...creates(ReturnSchema),
      },
    },
    async (request, reply) =>
      recordOnce(service, request, reply, 'withdrawal', (tx, original) =>
        returnWithdrawal(tx, original, request.body, clock.now(original.accountId)),
      ),
  );
}

/** It locks ledger accounts, so the whole transaction runs where the customer is. */
async function recordOnce(
  service: Tools,
  request: Request,
  reply: FastifyReply,
  kind: Original,
  record: (tx: Sql, original: StoredTransfer) => Promise<string>,
): Promise<FastifyReply> {
  const original = await requireOriginal(service.database.sql, request, kind);
  const bucket = bucketOf(original.id);
  return replyOnce({ ...service, database: service.groups.near(bucket) }, reply, bucket, async (tx) => ({
    status: 201,
    resource: { type: 'return', id: await record(tx, original) },
  }));
}

async function requireOriginal(sql: Sql, { params, caller }: Request, kind: Original): Promise<StoredTransfer> {
  return requireOwned(await findTransfer(sql, params.id, kind), caller);
}

function addListReturns(app: App, { links, database: { sql } }: Tools, kind: Original): void {
  app.get(
    `/${kind}s/:id/returns`,
    {
      config: { scope: 'read' },
      schema: {
        operationId: `list${ORIGINALS[kind]}Returns`,
        summary: `List the returns of a ${kind}`,
        description: 'Newest first.',
        tags,
        params: IdParams,
        querystring: PageQuery,
        response: { 200: ListOf('returns', ReturnSchema) },
      },
    },
    async (request) => {
      const original = await requireOriginal(sql, request, kind);
      const { elements, total } = await listReversals(sql, original, request.query);
      return listPage(links, request.query, {
        path: `/${kind}s/${original.id}/returns`,
        name: 'returns',
        resourceType: 'return',
        elements: await representAll({ links, sql }, elements),
        total,
      });
    },
  );
}

function addGetReturn(app: App, { links, database: { sql } }: Tools): void {
  app.get(
    '/returns/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getReturn',
        summary: 'Retrieve a return',
        description: 'A recorded return never changes.',
        tags,
        params: IdParams,
        response: { 200: ReturnSchema },
      },
    },
    async ({ caller, params }) => {
      const found = requireOwned(await findTransfer(sql, params.id, ...RETURN_KINDS), caller);
      const [shown] = await representAll({ links, sql }, [found]);
      return shown!;
    },
  );
}
