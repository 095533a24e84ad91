// Ledger entry routes: create and list a label's entries, retrieve an entry.
import type { Clock } from '../../core/clock.ts';
import { VERSION } from '../../core/version.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { isUnchanged } from '../../platform/http/content.ts';
import type { Links } from '../../platform/http/links.ts';
import { LongPeriodQuery } from '../../platform/http/moments.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { beforeLastPage, IdParams, ListOf, listPage } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { idempotencyOf } from '../../platform/idempotency/key.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import { findLabel } from '../labels/label.ts';
import { createLedgerEntry } from './create.ts';
import { findLedgerEntry, LedgerEntryRequest, LedgerEntrySchema, listLedgerEntries, represent, stateOf } from './ledger-entry.ts';

type Tools = { clock: Clock; config: Config; database: Database; lanes: Lanes; links: Links };

const tags = ['ledger entries'];
const path = '/labels/:id/ledger-entries';

export function ledgerEntryRoutes(app: App, service: Tools): void {
  addCreateLedgerEntry(app, service);
  addListLedgerEntries(app, service);
  addGetLedgerEntry(app, service);
}

function addCreateLedgerEntry(app: App, service: Tools): void {
  const { links, database } = service;

  app.post(
    path,
    {
      config: { scope: 'write', missing: 'labelNotFound', problems: ['customerNotVerified'] },
      schema: {
        operationId: 'createLedgerEntry',
        summary: 'Create a label ledger entry',
        description: 'A positive amount is taken from the available balance; a negative amount is returned to it.',
        tags,
        params: IdParams,
        body: LedgerEntryRequest,
        ...creates(LedgerEntrySchema),
      },
    },
    async (request, reply) => {
      const label = requireOwned(await findLabel(database.sql, request.params.id), request.caller, request.routeOptions.config);
      return sendResponse(reply, links, await createLedgerEntry(service, label, request.body, idempotencyOf(request)));
    },
  );
}

function addListLedgerEntries(app: App, { links, database }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'labelNotFound' },
      schema: {
        operationId: 'listLedgerEntries',
        summary: 'List the ledger entries of a label',
        description: 'Newest first. Also works for a removed label.',
        tags,
        params: IdParams,
        querystring: LongPeriodQuery,
        response: { 200: ListOf('ledger-entries', LedgerEntrySchema) },
      },
    },
    async (request, reply) => {
      const label = requireOwned(await findLabel(database.sql, request.params.id), request.caller, request.routeOptions.config);
      if (isUnchanged(request, reply, JSON.stringify([VERSION, links.to('label', label.id), stateOf(label), request.query])))
        return reply;
      const { elements, total, idBefore } = await listLedgerEntries(database.sql, label, request.query);
      const { createdFrom, createdBefore } = request.query;
      return listPage(links, request.query, {
        path: `/labels/${label.id}/ledger-entries`,
        name: 'ledger-entries',
        resourceType: 'ledger-entry',
        elements: elements.map((entry) => represent(links, entry)),
        total,
        beforeLast: await beforeLastPage(request.query, total, idBefore),
        filters: { createdFrom, createdBefore },
        byId: true,
      });
    },
  );
}

function addGetLedgerEntry(app: App, { links, database }: Tools): void {
  app.get(
    '/ledger-entries/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLedgerEntry',
        summary: 'Retrieve a ledger entry',
        description: 'One change of a label amount, with the balance after it.',
        tags,
        params: IdParams,
        response: { 200: LedgerEntrySchema },
      },
    },
    async (request) => represent(links, requireOwned(await findLedgerEntry(database.sql, request.params.id), request.caller)),
  );
}
