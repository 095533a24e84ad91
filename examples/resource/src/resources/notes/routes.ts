// Note routes: create and list a customer's notes, retrieve a note.
import type { Clock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import { createNote } from './create.ts';
import { listNotes, NoteRequest, NoteSchema, represent, requireNote } from './note.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['notes'];

export function noteRoutes(app: App, service: Tools): void {
  addCreateNote(app, service);
  addListNotes(app, service);
  addGetNote(app, service);
}

function addCreateNote(app: App, service: Tools): void {
  const { database, clock } = service;
  app.post(
    '/customers/:id/notes',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'createNote',
        summary: 'Create a note',
        description: 'Adds a text to a customer. Notes cannot be changed.',
        tags,
        params: IdParams,
        body: NoteRequest,
        ...creates(NoteSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id);
      return replyOnce(service, reply, customer.bucket, async (tx) => {
        const id = await createNote(tx, customer, request.body, clock.now(customer.accountId));
        return { status: 201, resource: { type: 'note', id } };
      });
    },
  );
}

function addListNotes(app: App, { links, database }: Tools): void {
  app.get(
    '/customers/:id/notes',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listNotes',
        summary: 'List the notes of a customer',
        description: 'Newest first.',
        tags,
        params: IdParams,
        querystring: PageQuery,
        response: { 200: ListOf('notes', NoteSchema) },
      },
    },
    async (request) => {
      const { id } = await requireCustomer(database.sql, request.caller, request.params.id);
      const { elements, total } = await listNotes(database.sql, id, request.query);
      return listPage(links, request.query, {
        path: `/customers/${id}/notes`,
        name: 'notes',
        resourceType: 'note',
        elements: elements.map((note) => represent(links, note)),
        total,
      });
    },
  );
}

function addGetNote(app: App, { links, database }: Tools): void {
  app.get(
    '/notes/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getNote',
        summary: 'Retrieve a note',
        description: 'A text about a customer.',
        tags,
        params: IdParams,
        response: { 200: NoteSchema },
      },
    },
    async (request) => represent(links, await requireNote(database.sql, request.caller, request.params.id)),
  );
}
