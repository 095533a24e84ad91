// Event routes: retrieve an event, list or follow an account's events.
import { Type } from '../../core/type.ts';
import { findEvent } from '../../ledger/feed/event.ts';
import { COUNT_MAX, listEvents, ORDERS } from '../../ledger/feed/feed.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, IdSchema, ListOf, LongPageQuery, listPage } from '../../platform/http/paging.ts';
import type { App } from '../../platform/http/route.ts';
import { EventSchema, represent, TopicSchema } from './event.ts';

type Tools = { database: Database; links: Links };

const tags = ['events'];

const FeedQuery = Type.Object({
  ...LongPageQuery.properties,
  order: Type.Optional(
    Type.Enum(ORDERS, {
      description: '`newest` or `oldest` first. Default: `oldest` with `after`, else `newest`.',
    }),
  ),
  topic: Type.Optional({ ...TopicSchema, description: 'Events of this topic.' }),
  resourceId: Type.Optional({ ...IdSchema, description: 'Events about this resource.' }),
});

const DESCRIPTION = `Lists every event that was committed before the request, newest first.

To follow the feed, store the id of the last event you have processed and send it as \`after\`: you get the later events, oldest
first. No event is skipped, in whatever order transactions commit, and the events of a customer are in commit order.
\`order=oldest\` without \`after\` starts at the oldest event that is kept. The \`next\` link of a page continues in the same order.
If the event in \`after\` is not kept any more, the response is 404: you may have missed events.

\`total\` is exact; with \`resourceId\` it counts to at most ${COUNT_MAX.toLocaleString('en')}.`;

export function eventRoutes(app: App, service: Tools): void {
  addListEvents(app, service);
  addGetEvent(app, service);
}

function addListEvents(app: App, { links, database }: Tools): void {
  app.get(
    '/events',
    {
      config: { scope: 'read', problems: ['eventGone'] },
      schema: {
        operationId: 'listEvents',
        summary: 'List or follow events',
        description: DESCRIPTION,
        tags,
        querystring: FeedQuery,
        response: { 200: ListOf('events', EventSchema) },
      },
    },
    async (request) => {
      const { topic, resourceId } = request.query;
      const { elements, total, order, beforeLast } = await listEvents(database.sql, request.caller.accountId, request.query);
      return listPage(links, request.query, {
        path: '/events',
        name: 'events',
        resourceType: 'event',
        elements: elements.map((event) => represent(links, event)),
        total,
        beforeLast,
        filters: { topic, resourceId, order },
        byId: true,
      });
    },
  );
}

function addGetEvent(app: App, { links, database }: Tools): void {
  app.get(
    '/events/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getEvent',
        summary: 'Retrieve an event',
        description: 'The topic, the changed resource and the time.',
        tags,
        params: IdParams,
        response: { 200: EventSchema },
      },
    },
    async (request) => represent(links, requireOwned(await findEvent(database.sql, request.params.id), request.caller)),
  );
}
