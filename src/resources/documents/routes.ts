// Routes of documents: submit, list and retrieve documents, decide on them, and read their reviews.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { IdParams, NoQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { openBodyCompiler } from '../../platform/http/schemas.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { decide } from './decide.ts';
import { DocumentList, DocumentSchema, listDocuments, represent, representList, requireDocument } from './document.ts';
import type { Documents } from './document-service.ts';
import { DocumentTypeSchema } from './reason-schema.ts';
import { listReviews, ReviewList, ReviewRequest, ReviewSchema, representReview, requireReview } from './review.ts';
import { requireSubject, type SubjectKind } from './subject.ts';
import { submitDocument } from './submit.ts';

type Tools = {
  clock: Clock;
  config: Config;
  database: Database;
  documents: Documents;
  groups: Groups;
  links: Links;
  log: FastifyBaseLogger;
  sealer: Sealer;
};

const tags = ['documents'];
const paths: Record<SubjectKind, { path: string; whose: string; noun: string }> = {
  owner: { path: '/beneficial-owners', whose: 'a beneficial owner', noun: 'BeneficialOwner' },
  customer: { path: '/customers', whose: 'a customer', noun: 'Customer' },
};

function binary(description: string) {
  return Type.Optional(Type.Unsafe<string>({ type: 'string', format: 'binary', description }));
}

const UploadForm = Type.Object(
  {
    documentType: DocumentTypeSchema,
    file: binary('JPEG or PNG, or PDF for the type `other`; at most 10 MiB. Required, except with the files of a chip.'),
    sod: binary('EF.SOD of the chip of a passport or an identity card (ICAO Doc 9303 part 10), at most 256 KiB.'),
    dg1: binary('DG1 of the chip, with the machine-readable zone. Required with `sod`.'),
    dg2: binary('DG2 of the chip, with the portrait, at most 5 MiB.'),
    dg11: binary('DG11 of the chip, with the full name and birth date, at most 64 KiB.'),
    dg14: binary('DG14 of the chip, at most 64 KiB.'),
  },
  { title: 'DocumentUpload' },
);

export function documentRoutes(app: App, service: Tools): void {
  // An encapsulated scope: only these routes accept multipart bodies, and they accept nothing else.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
    for (const kind of ['owner', 'customer'] as const)
      addSubmitDocument(scope.withTypeProvider<TypeBoxTypeProvider>(), service, kind);
  });
  for (const kind of ['owner', 'customer'] as const) addListDocuments(app, service, kind);
  addGetDocument(app, service);
  addReviewDocument(app, service);
  addListDocumentReviews(app, service);
  addGetReview(app, service);
}

function addSubmitDocument(app: App, service: Tools, kind: SubjectKind): void {
  const { path, whose, noun } = paths[kind];
  app.post(
    `${path}/:id/documents`,
    {
      config: {
        scope: 'write',
        problems: [
          'fileTooLarge',
          'requestTimeout',
          'invalidFileType',
          'badFile',
          'duplicateDocument',
          'tooManyDocuments',
          'needsNoDocument',
          'customerClosed',
        ],
      },
      // readUpload parses and validates the body.
      validatorCompiler: openBodyCompiler(() => true),
      schema: {
        operationId: `submit${noun}Document`,
        summary: `Submit a document of ${whose}`,
        description:
          'A picture, or the files of a chip that an app has read: both are parts of one form. Only while a document is needed. The file type is detected from the content; file name and Content-Type are ignored. At most 4 documents that are not rejected.',
        tags,
        consumes: ['multipart/form-data'],
        params: IdParams,
        body: UploadForm,
        ...creates(DocumentSchema),
      },
    },
    async (request, reply) => {
      const of = { kind, id: request.params.id };
      return sendResponse(reply, service.links, await submitDocument(service, request, of));
    },
  );
}

function addListDocuments(app: App, { links, database }: Tools, kind: SubjectKind): void {
  const { path, whose, noun } = paths[kind];
  app.get(
    `${path}/:id/documents`,
    {
      config: { scope: 'read' },
      schema: {
        operationId: `list${noun}Documents`,
        summary: `List the documents of ${whose}`,
        description: 'Newest first, with the verification result of each. Not paged.',
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: DocumentList },
      },
    },
    async (request) => {
      const { id } = request.params;
      const subject = await requireSubject(database.sql, request.caller, { kind, id });
      return representList(links, `${path}/${id}/documents`, await listDocuments(database.sql, subject));
    },
  );
}

function addGetDocument(app: App, { links, database }: Tools): void {
  app.get(
    '/documents/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getDocument',
        summary: 'Retrieve a document',
        description: 'The verification result, with all reasons if it was rejected. The file itself is never returned.',
        tags,
        params: IdParams,
        response: { 200: DocumentSchema },
      },
    },
    async (request) => represent(links, await requireDocument(database.sql, request.caller, request.params.id)),
  );
}

function addReviewDocument(app: App, service: Tools): void {
  const { config, database, clock } = service;

  app.post(
    '/documents/:id/reviews',
    {
      config: {
        scope: 'review',
        form: true,
        problems: ['documentDecided', 'documentErased', 'documentClaimed', 'needsSecondReviewer'],
      },
      schema: {
        operationId: 'reviewDocument',
        summary: 'Review a document',
        description:
          'An accepted document verifies the owner or customer that needed it. A decided document can be reviewed again, with a note, to change the decision: an owner or customer without another accepted document then needs one again. Where the operator asks for a second reviewer, a decision applies when a second one agrees. Refused while another reviewer has claimed the document.',
        tags,
        params: IdParams,
        body: ReviewRequest,
        ...creates(ReviewSchema),
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const document = await requireDocument(database.sql, caller, request.params.id);
      return replyOnce(service, reply, document.bucket, async (tx) => {
        const reviewer = { kind: 'application', id: caller.applicationId } as const;
        const { reviewId } = await decide(tx, config, document, reviewer, body, clock.now(caller.accountId));
        return { status: 201, resource: { type: 'review', id: reviewId } };
      });
    },
  );
}

function addListDocumentReviews(app: App, { links, database }: Tools): void {
  app.get(
    '/documents/:id/reviews',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listDocumentReviews',
        summary: 'List the reviews of a document',
        description:
          'Newest first: reviewer or checker, time, decision and reasons. A checker that does not decide leaves a review with the decision undecided.',
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: ReviewList },
      },
    },
    async (request) => {
      const document = await requireDocument(database.sql, request.caller, request.params.id);
      const reviews = await listReviews(database.sql, document);
      const self = links.link(`/documents/${document.id}/reviews`, 'review');
      return {
        _links: { self, document: links.to('document', document.id) },
        _embedded: { reviews: reviews.map((review) => representReview(links, review)) },
        total: reviews.length,
      };
    },
  );
}

function addGetReview(app: App, { links, database }: Tools): void {
  app.get(
    '/reviews/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getReview',
        summary: 'Retrieve a review',
        description: 'One review of a document: reviewer, time, decision and reasons.',
        tags,
        params: IdParams,
        response: { 200: ReviewSchema },
      },
    },
    async (request) => representReview(links, await requireReview(database.sql, request.caller, request.params.id)),
  );
}
