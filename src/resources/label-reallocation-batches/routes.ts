// Routes of label reallocation batches: create and retrieve a batch.
import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/problems.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams } from '../../platform/http/paging.ts';
import { type App, createsWith } from '../../platform/http/route.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { isSigned } from '../oauth/request-signature.ts';
import { BatchRequest, BatchSchema, findBatch, represent } from './batch.ts';
import { createBatch } from './create.ts';
import { openTurns } from './turns.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; lanes: Lanes; links: Links; sealer: Sealer };

const tags = ['label reallocation batches'];
/** A batch can be of several customers, of whom one may be erased. */
const UNSIGNED =
  'A signature of a batch cannot be kept with each of its reallocations: send signed label reallocations one by one, or the batch unsigned.';
const MAX_BODY_BYTES = 1024 * 1024;
/** Each batch uses a database connection while the lanes post its items; the other requests need some, too. */
const CONNECTIONS_SHARE = 1 / 3;

export function labelReallocationBatchRoutes(app: App, service: Tools): void {
  addCreateBatch(app, service);
  addGetBatch(app, service);
}

function addCreateBatch(app: App, service: Tools): void {
  const { links, database, config } = service;
  const inTurn = openTurns(Math.ceil(config.poolSize * CONNECTIONS_SHARE));

  app.post(
    '/label-reallocation-batches',
    {
      config: {
        scope: 'write',
        checksScope: true,
        forbidden: 'reallocationForbidden',
        missing: 'labelNotFound',
        problems: ['badSignature'],
      },
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        operationId: 'createLabelReallocationBatch',
        summary: 'Create a batch of label reallocations',
        description:
          'Makes up to 1,000 label reallocations in one request of at most 1 MiB. In an atomic batch each item sees the ones before, and if one is refused, nothing is written and the first 50 faults are named. In an independent batch a refusal is a result, so read `refused`. The batch is durable before the response is sent. A signed batch is refused: its items can be of several customers, of whom one may be erased.',
        tags,
        body: BatchRequest,
        ...createsWith(BatchSchema),
      },
    },
    async (request, reply) => {
      if (isSigned(request)) throw refuse('badSignature', { message: UNSIGNED });
      const answer = await inTurn(() => createBatch(service, request));
      const batch = requireOwned(await findBatch(database.sql, answer.resource.id), request.caller, request.routeOptions.config);
      return sendResponse(reply, links, { ...answer, body: represent(links, batch) });
    },
  );
}

function addGetBatch(app: App, { links, database }: Tools): void {
  app.get(
    '/label-reallocation-batches/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLabelReallocationBatch',
        summary: 'Retrieve a batch of label reallocations',
        description: 'The results of the items, as in the response to the creation. A batch never changes.',
        tags,
        params: IdParams,
        response: { 200: BatchSchema },
      },
    },
    async (request) => represent(links, requireOwned(await findBatch(database.sql, request.params.id), request.caller)),
  );
}
