// Owed entry routes: list a customer's, retrieve one.
import { findTransfer } from '../../ledger/transfers/transfer.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { requireCustomer } from '../customers/customer.ts';
import { transferPage } from '../transfers/list.ts';
import { TransferQuery } from '../transfers/query.ts';
import { KINDS, OwedEntrySchema, represent } from './owed-entry.ts';

type Tools = { database: Database; links: Links };

const tags = ['owed entries'];

export function owedEntryRoutes(app: App, service: Tools): void {
  addListOwedEntries(app, service);
  addGetOwedEntry(app, service);
}

function addListOwedEntries(app: App, { links, database }: Tools): void {
  app.get(
    '/customers/:id/owed-entries',
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listOwedEntries',
        summary: 'List the owed entries of a customer',
        description: 'Newest first. Debts less repayments are `owed` in the balance of the customer.',
        tags,
        params: IdParams,
        querystring: TransferQuery,
        response: { 200: ListOf('owed-entries', OwedEntrySchema) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return transferPage({ links, sql: database.sql }, customer, request.query, {
        kinds: KINDS,
        name: 'owed-entries',
        resourceType: 'owed-entry',
        represent: (transfers) => transfers.map((transfer) => represent(links, transfer)),
      });
    },
  );
}

function addGetOwedEntry(app: App, { links, database }: Tools): void {
  app.get(
    '/owed-entries/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getOwedEntry',
        summary: 'Retrieve an owed entry',
        description: 'A change of what a customer owes, with the return or the deposit that caused it.',
        tags,
        params: IdParams,
        response: { 200: OwedEntrySchema },
      },
    },
    async ({ caller, params }) => represent(links, requireOwned(await findTransfer(database.sql, params.id, ...KINDS), caller)),
  );
}
