// The routes of the root resource and of accounts.
import type { Clock } from '../../core/clock.ts';
import { Type } from '../../core/type.ts';
import { openLog, representLog } from '../../ledger/log/transparency-log.ts';
import type { Database } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { AccountSchema, findAccount, represent } from './account.ts';
import { AccountBalanceSchema, openAccountBalances } from './balance.ts';

type Tools = { clock: Clock; database: Database; links: Links };

const Root = Type.Object(
  {
    _links: Type.Object({
      account: LinkSchema,
      customers: LinkSchema,
      events: LinkSchema,
      'webhook-subscriptions': LinkSchema,
      openapi: Type.Object({ href: Type.String({ format: 'uri' }), type: Type.String() }),
    }),
  },
  { title: 'Root' },
);

export function accountRoutes(app: App, service: Tools): void {
  addGetRoot(app, service);
  addGetAccount(app, service);
  addGetAccountBalance(app, service);
}

function addGetRoot(app: App, { links }: Tools): void {
  app.get(
    '/',
    {
      schema: {
        operationId: 'getRoot',
        summary: 'Retrieve the root',
        description: 'Links to the account and its resources.',
        tags: ['root'],
        response: { 200: Root },
      },
      // Of a token for one customer.
      config: { problems: ['forbidden'] },
    },
    async (request) => ({
      _links: {
        account: links.to('account', request.caller.accountId),
        customers: links.link('/customers', 'customer'),
        events: links.link('/events', 'event'),
        'webhook-subscriptions': links.link('/webhook-subscriptions', 'webhook-subscription'),
        openapi: { href: links.url('/openapi.json'), type: 'application/json' },
      },
    }),
  );
}

function addGetAccount(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/accounts/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAccount',
        summary: 'Retrieve an account',
        description: 'Only the account of the token can be retrieved.',
        tags: ['accounts'],
        params: IdParams,
        response: { 200: AccountSchema },
      },
    },
    async (request) => {
      const account = await findAccount(database.sql, request.params.id);
      const owned = requireOwned(account && { ...account, accountId: account.id }, request.caller);
      const log = await openLog(database, { links, clock }, owned.id);
      return represent(links, owned, await representLog(database.sql, log));
    },
  );
}

function addGetAccountBalance(app: App, { links, database, clock }: Tools): void {
  const balanceOf = openAccountBalances({ clock, links, sql: database.sql });

  app.get(
    '/accounts/:id/balance',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAccountBalance',
        summary: 'Retrieve the balance of an account',
        description: 'The totals of all customers by currency. They are added up at most every ten seconds; `at` is when.',
        tags: ['accounts'],
        params: IdParams,
        response: { 200: AccountBalanceSchema },
      },
    },
    async (request) => {
      const account = await findAccount(database.sql, request.params.id);
      const owned = requireOwned(account && { ...account, accountId: account.id }, request.caller);
      return balanceOf(owned.id);
    },
  );
}
