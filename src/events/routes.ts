// Event routes: retrieve an event, list or follow an account's events.
import Type from 'typebox';
import { IdParams, IdSchema, ListOf, LongPageQuery, listPage } from '../http/paging.ts';
import { type App, answers } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';
import { EventSchema, findEvent, represent, TopicSchema } from './event.ts';
import { COUNT_MAX, listEvents, ORDERS } from './feed.ts';

const tags = ['events'];

const FeedQuery = Type.Object({
  ...LongPageQuery.properties,
  order: Type.Optional(
    Type.Enum(ORDERS, {
      description: '`newest` first, or `oldest` first. Without it: oldest first with `after`, else newest first.',
    }),
  ),
  topic: Type.Optional({ ...TopicSchema, description: 'Events of this topic.' }),
  resourceId: Type.Optional({ ...IdSchema, description: 'Events about this resource.' }),
});

const ABOUT = `Every event that was committed before the call, newest first.

To follow the feed, keep the id of the last event you have handled and ask for \`after\` it: the events that came after it, oldest
first. None is ever passed over, however transactions commit, and the events of a customer come in the order of their commits.
\`order=oldest\` without \`after\` begins at the oldest event kept. The \`next\` link of a page goes on with it in the page's own order.
An event named by \`after\` that is not kept any more is 404: events may have been missed.

\`total\` is exact; with \`resourceId\` it counts to ${COUNT_MAX.toLocaleString('en')} at most.`;

export function eventRoutes(app: App, service: Service): void {
  const { links, database } = service;

  app.get(
    '/events',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listEvents',
        summary: 'List or follow events',
        description: ABOUT,
        tags,
        querystring: FeedQuery,
        response: answers({ 200: ListOf('events', EventSchema) }, 'badQuery', 'eventGone'),
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

  app.get(
    '/events/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getEvent',
        summary: 'Retrieve an event',
        description: 'What happened to which resource, and when.',
        tags,
        params: IdParams,
        response: answers({ 200: EventSchema }, 'notFound'),
      },
    },
    async (request) => {
      const event = await findEvent(database.sql, request.params.id);
      if (!event) throw refuse('notFound');
      if (event.accountId !== request.caller.accountId) throw refuse('forbidden');
      return represent(links, event);
    },
  );
}
