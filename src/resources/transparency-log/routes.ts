// Transparency log routes: the checkpoint, the tiles and the entries of an account's log, and receipts of label reallocations.
import { parseTilePath } from '../../../packages/proof/src/tiles.ts';
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import { type BuildTools, signFirst } from '../../ledger/log/build.ts';
import { findBundle, findTile } from '../../ledger/log/tile.ts';
import { findLog, openLog } from '../../ledger/log/transparency-log.ts';
import { findTransfer } from '../../ledger/transfers/transfer.ts';
import { weightOf } from '../../platform/http/media-type.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, IdSchema } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { requireCustomer } from '../customers/customer.ts';
import { readDetails } from './details.ts';
import { formatProof, makeReceipt, PROOF_TYPE, ReceiptSchema, represent } from './receipt.ts';

const tags = ['transparency log'];
const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';
const IMMUTABLE = 'private, max-age=31536000, immutable';

const CheckpointQuery = Type.Object({
  witnessed: Type.Optional(
    Type.Enum(['true'], {
      type: 'string',
      description:
        'The newest checkpoint that enough of the witnesses (`LOG_WITNESSES`) have cosigned. 404 as long as there is none.',
    }),
  ),
});

const CHECKPOINT = `The newest checkpoint of the log of the account, a signed note in the formats of C2SP \`tlog-checkpoint\` and \`signed-note\`.

The log has the API of C2SP \`tlog-tiles\`, beside this path: \`log/tile/{level}/{index}\` returns hashes of the Merkle tree (RFC 6962),
and \`log/tile/entries/{index}\` the entries. Entry n is the event at position n + 1 of the feed, as canonical JSON (RFC 8785); the entry of
an event that moved money has both accounts with their sequences and balances, and that of \`account_audit_head_created\` the number of
entries of the operators' audit log with the hash that covers them. A checkpoint covers an event within 5 seconds, and is never
contradicted by a later one. Witnesses cosign it a moment later, if there are any (C2SP \`tlog-witness\`).

The member \`details\` of an entry is a hash of texts: SHA-256 of a salt in base64url, a line feed and canonical JSON, cut to 24 bytes,
in base64url. The JSON of a transfer has its \`id\`, \`reference\`, \`correlationId\`, \`externalId\` and \`metadata\`; that of a customer or
a label is at \`log/customers/{customerId}\`, with the salt of the customer. Once the salt is erased, a hash says nothing.
\`earmark audit\` checks all of it.`;

export function transparencyLogRoutes(app: App, service: BuildTools): void {
  addGetCheckpoint(app, service);
  addGetTile(app, service);
  addGetDetails(app, service);
  addGetReceipt(app, service);
}

function addGetCheckpoint(app: App, service: BuildTools): void {
  const { database } = service;
  app.get(
    '/accounts/:id/log/checkpoint',
    {
      config: { scope: 'read', plain: true, tagged: true, problems: ['unavailable'] },
      schema: {
        operationId: 'getCheckpoint',
        summary: 'Retrieve the checkpoint of the transparency log',
        description: CHECKPOINT,
        tags,
        params: IdParams,
        querystring: CheckpointQuery,
        produces: [PROOF_TYPE],
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const known = await findLog(database.sql, id);
      if (known) requireOwned(known, request.caller);
      else await requireAccount(service, request.caller, id);
      let log = known ?? (await openLog(database, service, id));
      if (log.checkpoint === null) {
        await signFirst(service, id);
        log = await openLog(database, service, id);
      }
      if (log.checkpoint === null) throw notYet();
      if (request.query.witnessed) {
        if (log.witnessed === null) throw refuse('notFound');
        return reply.type(TEXT).send(log.witnessed);
      }
      return reply.type(TEXT).send(log.checkpoint);
    },
  );
}

/** Outside the OpenAPI document, which cannot describe an index of several path segments. */
function addGetTile(app: App, service: BuildTools): void {
  const { sql } = service.database;
  app.get(
    '/accounts/:id/log/tile/*',
    {
      config: { scope: 'read', plain: true },
      schema: { hide: true, params: Type.Object({ ...IdParams.properties, '*': Type.String() }) },
    },
    async (request, reply) => {
      const { id: accountId } = await requireAccount(service, request.caller, request.params.id);
      const path = parseTilePath(request.params['*']);
      if (!path) throw refuse('notFound');
      const { level, index, width } = path;
      const bytes =
        level === 'entries'
          ? await findBundle(sql, { accountId, index, width })
          : await findTile(sql, { accountId, level, index, width });
      if (!bytes) throw refuse('notFound');
      return reply.type(BYTES).header('cache-control', IMMUTABLE).send(bytes);
    },
  );
}

/** Outside the OpenAPI document, like the tiles: only auditors read it. */
function addGetDetails(app: App, service: BuildTools): void {
  const { sql } = service.database;
  app.get(
    '/accounts/:id/log/customers/:customerId',
    {
      config: { scope: 'read', plain: true },
      schema: {
        hide: true,
        params: Type.Object({ ...IdParams.properties, customerId: IdSchema }),
        querystring: Type.Object({ after: Type.Optional(IdSchema) }),
      },
    },
    async (request, reply) => {
      const { customerId } = request.params;
      await requireAccount(service, request.caller, request.params.id);
      await requireCustomer(sql, request.caller, customerId);
      const details = await readDetails(sql, customerId, request.query.after);
      return reply.type('application/json; charset=utf-8').send(details);
    },
  );
}

function addGetReceipt(app: App, service: BuildTools): void {
  const { database, links } = service;
  app.get(
    '/label-reallocations/:id/receipt',
    {
      config: { scope: 'read', alsoServes: [PROOF_TYPE], problems: ['unavailable'] },
      schema: {
        operationId: 'getReceipt',
        summary: 'Retrieve the receipt of a label reallocation',
        description:
          'Proves that the reallocation is in the transparency log of the account: anybody with the verifier key of the log can check it without this service. With `Accept: text/plain` it is a C2SP `tlog-proof` with the entry as extra data. 503 until a checkpoint covers the reallocation, at most 5 seconds.',
        tags,
        params: IdParams,
        response: {
          200: {
            description: 'Proof that a label reallocation is in the transparency log of the account.',
            content: { [links.mediaType]: { schema: ReceiptSchema }, [PROOF_TYPE]: { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const transfer = requireOwned(await findTransfer(database.sql, request.params.id, 'reallocation'), request.caller);
      const log = await findLog(database.sql, transfer.accountId);
      const receipt = log && (await makeReceipt(database.sql, log, transfer));
      if (!receipt) throw notYet();
      reply.header('vary', 'Accept');
      const { accept = links.mediaType } = request.headers;
      if (weightOf(accept, PROOF_TYPE) <= weightOf(accept, links.mediaType)) return represent(links, transfer.id, receipt);
      return reply.type(TEXT).send(formatProof(receipt));
    },
  );
}

function notYet() {
  const message = 'The transparency log does not cover this yet. Try again in a second.';
  return refuse('unavailable', { message });
}

async function requireAccount(
  { database }: Pick<BuildTools, 'database'>,
  caller: { accountId: string },
  id: string,
): Promise<{ id: string }> {
  const [account] = await database.sql<{ id: string }>`select id from account where id = ${id}`;
  return requireOwned(account && { ...account, accountId: id }, caller);
}
