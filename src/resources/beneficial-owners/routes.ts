// Routes of beneficial owners: create, list, retrieve, change and remove owners, and certify the ownership.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { checkEarly } from '../../platform/http/owned.ts';
import { IdParams, NoQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import { listOwners, OwnerSchema, represent, requireOwner } from './beneficial-owner.ts';
import { requireBusiness } from './business.ts';
import { Certification, certify, findOwnership, OwnershipSchema, representOwnership } from './certification.ts';
import { changeOwner, removeOwner } from './change.ts';
import { createOwner } from './create.ts';
import { compileOwnerChange, compileOwnerForm, OwnerChange, OwnerForm } from './form.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['beneficial owners'];
const OWNERS_PATH = '/customers/:id/beneficial-owners';
const OWNERSHIP_PATH = '/customers/:id/beneficial-ownership';
const OWNER_PATH = '/beneficial-owners/:id';

/** Not paged: a business has at most four. */
const OwnerList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    _embedded: Type.Object({ 'beneficial-owners': Type.Array(OwnerSchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'BeneficialOwnerList' },
);

export function beneficialOwnerRoutes(app: App, service: Tools): void {
  addCreateBeneficialOwner(app, service);
  addListBeneficialOwners(app, service);
  addGetBeneficialOwner(app, service);
  addUpdateBeneficialOwner(app, service);
  addRemoveBeneficialOwner(app, service);
  addGetBeneficialOwnership(app, service);
  addCertifyBeneficialOwnership(app, service);
}

function addCreateBeneficialOwner(app: App, service: Tools): void {
  const { config, sealer, clock } = service;

  app.post(
    OWNERS_PATH,
    {
      config: { scope: 'write', form: true, problems: ['tooManyOwners', 'notABusiness', 'customerClosed'] },
      validatorCompiler: compileOwnerForm,
      schema: {
        operationId: 'createBeneficialOwner',
        summary: 'Create a beneficial owner',
        description:
          'Only a business customer has beneficial owners, at most four. Blank text counts as absent. dateOfBirth, ssn and passport are stored encrypted and never returned.',
        tags,
        params: IdParams,
        body: OwnerForm,
        ...creates(OwnerSchema),
      },
    },
    async (request, reply) => {
      const { id: customerId } = request.params;
      const context = { mode: config.mode, sealer };
      await checkEarly(request.caller, () => requireCustomer(service.database.sql, request.caller, customerId));
      return replyOnce(service, reply, bucketOf(customerId), async (tx) => {
        const id = await createOwner(tx, context, request.caller, customerId, request.body, clock.now(request.caller.accountId));
        return { status: 201, resource: { type: 'beneficial-owner', id } };
      });
    },
  );
}

function addListBeneficialOwners(app: App, { links, database }: Tools): void {
  app.get(
    OWNERS_PATH,
    {
      config: { scope: 'read', problems: ['notABusiness'] },
      schema: {
        operationId: 'listBeneficialOwners',
        summary: 'List the beneficial owners of a customer',
        description: 'Newest first, without removed owners. Not paged.',
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: OwnerList },
      },
    },
    async (request) => {
      const { id } = await requireBusiness(database.sql, request.caller, request.params.id);
      const owners = await listOwners(database.sql, id);
      return {
        _links: { self: links.link(`/customers/${id}/beneficial-owners`, 'beneficial-owner') },
        _embedded: { 'beneficial-owners': owners.map((owner) => represent(links, owner)) },
        total: owners.length,
      };
    },
  );
}

function addGetBeneficialOwner(app: App, { links, database }: Tools): void {
  app.get(
    OWNER_PATH,
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getBeneficialOwner',
        summary: 'Retrieve a beneficial owner',
        description: 'dateOfBirth, ssn and passport are never returned. Returns 404 for a removed owner.',
        tags,
        params: IdParams,
        response: { 200: OwnerSchema },
      },
    },
    async (request) => represent(links, await requireOwner(database.sql, request.caller, request.params.id)),
  );
}

function addUpdateBeneficialOwner(app: App, service: Tools): void {
  const { config, links, sealer, clock } = service;

  app.post(
    OWNER_PATH,
    {
      config: { scope: 'write', form: true, problems: ['ownerNotIncomplete', 'customerClosed'] },
      validatorCompiler: compileOwnerChange,
      schema: {
        operationId: 'updateBeneficialOwner',
        summary: 'Change a beneficial owner',
        description: 'Only while the owner is incomplete. The owner is then verified again.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: OwnerChange,
        response: { 200: OwnerSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const context = { mode: config.mode, sealer };
      await checkEarly(request.caller, () => requireOwner(service.database.sql, request.caller, id));
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const owner = await changeOwner(tx, context, request.caller, id, request.body, clock.now(request.caller.accountId));
        return { status: 200, resource: { type: 'beneficial-owner', id }, body: represent(links, owner) };
      });
    },
  );
}

function addRemoveBeneficialOwner(app: App, { links, database, clock }: Tools): void {
  app.delete(
    OWNER_PATH,
    {
      config: { scope: 'write', problems: ['customerClosed'] },
      schema: {
        operationId: 'removeBeneficialOwner',
        summary: 'Remove a beneficial owner',
        description: 'Returns the owner as it was.',
        tags,
        params: IdParams,
        response: { 200: OwnerSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const owner = await database.transaction((tx) => removeOwner(tx, caller, params.id, clock.now(caller.accountId)));
      return represent(links, owner);
    },
  );
}

function addGetBeneficialOwnership(app: App, { links, database }: Tools): void {
  app.get(
    OWNERSHIP_PATH,
    {
      config: { scope: 'read', problems: ['notABusiness'] },
      schema: {
        operationId: 'getBeneficialOwnership',
        summary: 'Retrieve the beneficial ownership of a customer',
        description: 'The certification status of the owners of a business.',
        tags,
        params: IdParams,
        response: { 200: OwnershipSchema },
      },
    },
    async (request) => {
      const customer = await requireBusiness(database.sql, request.caller, request.params.id);
      return representOwnership(links, customer, await findOwnership(database.sql, customer.id));
    },
  );
}

function addCertifyBeneficialOwnership(app: App, service: Tools): void {
  const { links, clock } = service;

  app.post(
    OWNERSHIP_PATH,
    {
      config: { scope: 'write', form: true, problems: ['notABusiness', 'customerClosed'] },
      schema: {
        operationId: 'certifyBeneficialOwnership',
        summary: 'Certify the beneficial ownership of a customer',
        description:
          'Certifies that the list of beneficial owners is complete and correct, even if it is empty. Repeating it has no effect.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: Certification,
        response: { 200: OwnershipSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await checkEarly(request.caller, () => requireCustomer(service.database.sql, request.caller, id));
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const customer = await certify(tx, request.caller, id, clock.now(request.caller.accountId));
        const body = representOwnership(links, customer, 'certified');
        return { status: 200, resource: { type: 'customer', id }, body };
      });
    },
  );
}
