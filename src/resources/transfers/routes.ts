// The routes of transfers: everything that moved a customer's money, and a search of all customers.
import { KINDS } from '../../ledger/transfers/transfer-list.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { IdParams, ListOf } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { requireCustomer } from '../customers/customer.ts';
import { transferPage } from './list.ts';
import { TransferQuery } from './query.ts';
import { SearchQuery, TransferSearchResult, transferSearch } from './search.ts';
import { represent, TransferSchema } from './transfer.ts';

type Tools = { database: Database; links: Links };

export function transferRoutes(app: App, service: Tools): void {
  addListTransfers(app, service);
  addSearchTransfers(app, service);
}

function addSearchTransfers(app: App, { links, database }: Tools): void {
  app.get(
    '/transfers',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'searchTransfers',
        summary: 'Search the transfers of all customers',
        description:
          'Newest first. By id, reference, correlation id, amount and time of creation; all that are given must match. A page examines a limited number of transfers, so it may be short, or empty, and have a next one.',
        tags: ['transfers'],
        querystring: SearchQuery,
        response: { 200: TransferSearchResult },
      },
    },
    async (request) => transferSearch({ links, sql: database.sql }, request.caller.accountId, request.query),
  );
}

function addListTransfers(app: App, { links, database }: Tools): void {
  app.get(
    '/customers/:id/transfers',
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listTransfers',
        summary: 'List the transfers of a customer',
        description:
          'Deposits, withdrawals and their returns, label reallocations, amounts set aside on labels or returned from them, and changes of what the customer owes. Newest first.',
        tags: ['transfers'],
        params: IdParams,
        querystring: TransferQuery,
        response: { 200: ListOf('transfers', TransferSchema) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return transferPage({ links, sql: database.sql }, customer, request.query, {
        kinds: KINDS,
        name: 'transfers',
        resourceType: 'transfer',
        represent: (transfers) => transfers.map((transfer) => represent(links, transfer)),
      });
    },
  );
}
