// The door of events: retrieve one, and list or follow those of an account.
import Type from 'typebox';
import { IdParams, IdSchema, ListOf, LongPageQuery, listPage } from '../http/paging.ts';
import { type App, answers } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';
import { EventSchema, findEvent, represent, TopicSchema } from './event.ts';
import { listEvents, ORDERS, SEARCH_MAX } from './feed.ts';

const tags = ['events'];

const FeedQuery = Type.Object({
  ...LongPageQuery.properties,
  order: Type.Optional(
    Type.Enum(ORDERS, {
      description: '`newest` first, or `oldest` first. Without it: oldest first with `after`, else newest first.',
    }),
  ),
  topic: Type.Optional(TopicSchema),
  resourceId: Type.Optional(IdSchema),
});

const ABOUT = `Every event that was committed before the call, newest first.

To follow the feed, keep the id of the last event you have handled and ask for \`after\` it: the events that came after it, oldest
first. None is ever passed over, however transactions commit, and the events of a customer come in the order of their commits.
\`order=oldest\` without \`after\` begins at the oldest event kept. The \`next\` link of a page goes on with it in the page's own order.
An event named by \`after\` that is not kept any more is 404: events may have been missed.

\`total\` is exact, but with \`topic\` it counts among the newest ${SEARCH_MAX.toLocaleString('en')} events. A page with \`topic\` looks through ${SEARCH_MAX.toLocaleString('en')}
events at most: as long as there is a \`next\` link there may be more, also on a page that is not full.`;

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
      const { topic, resourceId, limit } = request.query;
      const { elements, total, order, searched } = await listEvents(database.sql, request.caller.accountId, request.query);
      const filters = { topic, resourceId, order };
      const page = listPage(links, request.query, {
        path: '/events',
        name: 'events',
        resourceType: 'event',
        elements: elements.map((event) => represent(links, event)),
        total,
        filters,
        byId: true,
      });
      if (searched === undefined) return page;
      const on = new URLSearchParams({ topic: topic!, order, limit: String(limit), after: searched });
      return { ...page, _links: { ...page._links, next: links.link(`/events?${on}`, 'event') } };
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
