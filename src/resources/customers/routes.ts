// Routes of customers: create, list, retrieve and change customers, and retrieve their balances.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { NO_CONTROL_CHARACTERS } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { external } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import type { Links } from '../../platform/http/links.ts';
import { MomentQuery, pastMoment } from '../../platform/http/moments.ts';
import { checkEarly } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { bucketFor } from '../../platform/idempotency/key.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { CustomerBalanceSchema, customerBalance } from './balance.ts';
import { changeCustomer } from './change.ts';
import { compileChange, compileForm } from './check.ts';
import { createCustomer } from './create.ts';
import { CustomerSchema, represent, requireCustomer, StatusesSchema } from './customer.ts';
import { CustomerRequest, CustomerUpdate } from './form.ts';
import { listCustomers } from './list.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const SEARCH_LENGTH = 254;

const tags = ['customers'];
const SearchText = Type.String({ maxLength: SEARCH_LENGTH, pattern: NO_CONTROL_CHARACTERS });

const CustomerQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional({
    ...SearchText,
    description: 'Part of a name, business name or email. Case, accents and kinds of apostrophes do not count.',
  }),
  email: Type.Optional({ ...SearchText, description: 'Exact email. Not case-sensitive.' }),
  status: Type.Optional({
    ...StatusesSchema,
    description: 'Status of the customers. Repeat the parameter for several statuses.',
  }),
  ...correlated,
  externalId: external.externalId,
});

export function customerRoutes(app: App, service: Tools): void {
  addCreateCustomer(app, service);
  addListCustomers(app, service);
  addGetCustomer(app, service);
  addUpdateCustomer(app, service);
  addGetCustomerBalance(app, service);
}

function addCreateCustomer(app: App, service: Tools): void {
  const { config, sealer, clock } = service;

  app.post(
    '/customers',
    {
      config: { scope: 'write', form: true, problems: ['externalIdTaken'] },
      validatorCompiler: compileForm,
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer',
        description:
          'Default type: unverified. Blank text counts as absent. dateOfBirth, ssn, ein and passport are stored encrypted and never returned.',
        tags,
        body: CustomerRequest,
        ...creates(CustomerSchema),
      },
    },
    async (request, reply) => {
      const bucket = bucketFor(request);
      return replyOnce(service, reply, bucket, async (tx) => {
        const context = { mode: config.mode, sealer };
        const { accountId } = request.caller;
        const { id } = await createCustomer(tx, context, accountId, request.body, clock.now(accountId), bucket);
        return { status: 201, resource: { type: 'customer', id } };
      });
    },
  );
}

function addListCustomers(app: App, { links, database }: Tools): void {
  app.get(
    '/customers',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listCustomers',
        summary: 'List customers',
        description: 'Newest first.',
        tags,
        querystring: CustomerQuery,
        response: { 200: ListOf('customers', CustomerSchema) },
      },
    },
    async (request) => {
      const { search, email, status, correlationId, externalId } = request.query;
      const { elements, total } = await listCustomers(database.sql, request.caller.accountId, request.query);
      return listPage(links, request.query, {
        path: '/customers',
        name: 'customers',
        resourceType: 'customer',
        elements: elements.map((customer) => represent(links, customer)),
        total,
        filters: { search, email, status, correlationId, externalId },
      });
    },
  );
}

function addGetCustomer(app: App, { links, database }: Tools): void {
  app.get(
    '/customers/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getCustomer',
        summary: 'Retrieve a customer',
        description: 'Links show the actions that are allowed now. dateOfBirth, ssn, ein and passport are never returned.',
        tags,
        params: IdParams,
        response: { 200: CustomerSchema },
      },
    },
    async (request) => represent(links, await requireCustomer(database.sql, request.caller, request.params.id)),
  );
}

function addUpdateCustomer(app: App, service: Tools): void {
  const { config, links, sealer, clock } = service;

  app.post(
    '/customers/:id',
    {
      config: { scope: 'write', form: true, problems: ['statusUnreachable', 'customerSettled', 'customerClosed'] },
      validatorCompiler: compileChange,
      schema: {
        operationId: 'updateCustomer',
        summary: 'Change a customer',
        description:
          'Send contact members, or only status. While the status is retry you can send, once, the complete data of a new customer, which is then verified again. An unverified customer becomes personal or business with its type and complete data. Complete data replaces all previous data. Money can be moved only while the status is verified.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: CustomerUpdate,
        response: { 200: CustomerSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await checkEarly(request.caller, () => requireCustomer(service.database.sql, request.caller, id));
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const now = clock.now(request.caller.accountId);
        const customer = await changeCustomer(tx, { mode: config.mode, sealer }, request.caller, id, request.body, now);
        return { status: 200, resource: { type: 'customer', id }, body: represent(links, customer) };
      });
    },
  );
}

function addGetCustomerBalance(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/customers/:id/balance',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getCustomerBalance',
        summary: 'Retrieve the balance of a customer',
        description: 'The total, available and labelled amount in each currency, now or at a past time.',
        tags,
        params: IdParams,
        querystring: MomentQuery,
        response: { 200: CustomerBalanceSchema },
      },
    },
    async (request) => {
      const { sql } = database;
      const { id } = request.params;
      const now = clock.now(request.caller.accountId);
      const owned = requireCustomer(sql, request.caller, id);
      const { at } = request.query;
      if (at === undefined) {
        // At once, so that both wait for the same statements.
        const [balance] = await Promise.all([customerBalance({ links, sql }, id, { at, now }), owned]);
        return balance;
      }
      await owned;
      return customerBalance({ links, sql }, id, { at: pastMoment(at, now), now });
    },
  );
}
