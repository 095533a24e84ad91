// Routes of reviewers: the documents that wait, and the claims by which one reviewer works on a document at a time.
import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { beforeLastPage, IdParams, ListOf, LongPageQuery, listPage } from '../../platform/http/paging.ts';
import { type App, IdempotencyHeaders } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { ClaimSchema, claimDocument, findClaim, releaseDocument, representClaim, takenUntil } from './claim.ts';
import { type Document, DocumentSchema, listWaiting, represent, requireDocument } from './document.ts';
import { countWaiting, findBeforeLast } from './queue.ts';
import { isSameReviewer, requireReview } from './review.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['documents'];
const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'The application does not hold the document.' });

const WaitingQuery = Type.Object({
  ...LongPageQuery.properties,
  status: Type.Optional(
    Type.Enum(['pending'], {
      default: 'pending',
      description: '`pending`: documents that wait for a first or a second reviewer.',
    }),
  ),
});

export function reviewQueueRoutes(app: App, service: Tools): void {
  addListWaitingDocuments(app, service);
  addClaimDocument(app, service);
  addGetDocumentClaim(app, service);
  addReleaseDocument(app, service);
}

function addListWaitingDocuments(app: App, { links, database: { sql } }: Tools): void {
  app.get(
    '/documents',
    {
      config: { scope: 'review' },
      schema: {
        operationId: 'listWaitingDocuments',
        summary: 'List the documents that wait for a reviewer',
        description:
          'Those of all customers of the account, oldest first. A claimed document is listed until it is decided. `after` need not be in the list any more.',
        tags,
        querystring: WaitingQuery,
        response: { 200: ListOf('documents', DocumentSchema, 'WaitingDocumentList') },
      },
    },
    async ({ caller: { accountId }, query }) => {
      const { limit, offset, after } = query;
      const [documents, total] = await Promise.all([
        listWaiting(sql, { accountId, after, limit: limit + 1, offset }),
        countWaiting(sql, accountId),
      ]);
      return listPage(links, query, {
        path: '/documents',
        name: 'documents',
        resourceType: 'document',
        elements: documents.map((document) => represent(links, document)),
        total,
        filters: { status: query.status },
        beforeLast: await beforeLastPage(query, total, (size) => findBeforeLast(sql, accountId, size)),
        byId: true,
      });
    },
  );
}

function addClaimDocument(app: App, service: Tools): void {
  const { links, database, clock } = service;

  app.post(
    '/documents/:id/claim',
    {
      config: { scope: 'review', problems: ['documentClaimed', 'documentNotWaiting', 'needsSecondReviewer'] },
      schema: {
        operationId: 'claimDocument',
        summary: 'Claim a document',
        description:
          'Takes a document that waits for a reviewer, or renews the claim, for ten minutes. Meanwhile no other application and no person of the console can decide on it. An application may hold many documents. A decision ends the claim, and does not need one.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        response: { 200: ClaimSchema },
      },
    },
    async (request, reply) => {
      const { caller } = request;
      const document = await requireDocument(database.sql, caller, request.params.id);
      return replyOnce(service, reply, document.bucket, async (tx) => {
        const claimant = { kind: 'application', id: caller.applicationId } as const;
        if (document.opinionId !== null) {
          const { reviewer } = await requireReview(tx, caller, document.opinionId);
          if (await isSameReviewer(tx, reviewer, claimant)) throw refuse('needsSecondReviewer');
        }
        const claim = await claimDocument(tx, document, claimant, clock.now(caller.accountId));
        if (!claim) throw refuse('documentNotWaiting');
        if (claim.by !== claimant.id) throw takenUntil(claim);
        const body = await representClaim({ links, sql: tx }, document.id, claim);
        return { status: 200, resource: { type: 'document', id: document.id }, body };
      });
    },
  );
}

function addGetDocumentClaim(app: App, service: Tools): void {
  const { links, database } = service;

  app.get(
    '/documents/:id/claim',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDocumentClaim',
        summary: 'Retrieve the claim of a document',
        description: 'Who reviews the document, and until when. 404 if nobody does.',
        tags,
        params: IdParams,
        response: { 200: ClaimSchema },
      },
    },
    async (request) => {
      const document = await requireDocument(database.sql, request.caller, request.params.id);
      const claim = await claimOf(service, document);
      if (!claim) throw refuse('notFound');
      return representClaim({ links, sql: database.sql }, document.id, claim);
    },
  );
}

function addReleaseDocument(app: App, service: Tools): void {
  const { database } = service;

  app.delete(
    '/documents/:id/claim',
    {
      config: { scope: 'review', problems: ['documentClaimed'] },
      schema: {
        operationId: 'releaseDocument',
        summary: 'Release a document',
        description: 'Ends the claim of this application. There is no error if it has lapsed.',
        tags,
        params: IdParams,
        response: { 204: NoContent },
      },
    },
    async ({ caller, params }, reply) => {
      const document = await requireDocument(database.sql, caller, params.id);
      await releaseDocument(database.sql, document, caller.applicationId);
      const claim = await claimOf(service, document);
      if (claim) throw takenUntil(claim);
      return reply.code(204).send();
    },
  );
}

function claimOf({ database, clock }: Pick<Tools, 'database' | 'clock'>, document: Document) {
  return findClaim(database.sql, document, clock.now(document.accountId));
}
