// Balance monitor routes: create and list the monitors of a label, retrieve and delete a monitor.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { findLabel } from '../labels/label.ts';
import { createMonitor, deleteMonitor, followFeed } from './create.ts';
import { listMonitors, MonitorRequest, MonitorSchema, represent, requireMonitor } from './monitor.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['balance monitors'];
const path = '/labels/:id/monitors';

export function balanceMonitorRoutes(app: App, service: Tools): void {
  addCreateMonitor(app, service);
  addListMonitors(app, service);
  addGetMonitor(app, service);
  addRemoveMonitor(app, service);
}

function addCreateMonitor(app: App, service: Tools): void {
  const { database, clock, groups } = service;

  app.post(
    path,
    {
      config: { scope: 'write', missing: 'labelNotFound', problems: ['tooManyMonitors'] },
      schema: {
        operationId: 'createMonitor',
        summary: 'Create a balance monitor',
        description:
          'From now on, an event `customer_label_balance_crossed` reports each crossing of the threshold by the amount of the label, in the order of the feed, within seconds. Further transfers beyond the threshold are not reported: after a crossing, the monitor is armed again when the amount is back at the threshold, or at rearm. An amount that is beyond the threshold already is not a crossing. A label has at most 20 monitors.',
        tags,
        params: IdParams,
        body: MonitorRequest,
        ...creates(MonitorSchema),
      },
    },
    async (request, reply) => {
      // The label may be removed: a repeated request gets its first answer.
      const found = await findLabel(database.sql, request.params.id);
      const label = requireOwned(found, request.caller, request.routeOptions.config);
      await followFeed(database.sql, label.accountId);
      const bucket = bucketOf(label.id);
      // It locks the label, so the whole transaction runs where the customer is.
      const used = { ...service, database: groups.near(bucket) };
      return replyOnce(used, reply, bucket, async (tx) => {
        const id = await createMonitor(tx, label.id, request.body, clock.now(label.accountId));
        return { status: 201, resource: { type: 'monitor', id } };
      });
    },
  );
}

function addListMonitors(app: App, { links, database }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'labelNotFound' },
      schema: {
        operationId: 'listMonitors',
        summary: 'List the balance monitors of a label',
        description: 'Newest first, without deleted monitors.',
        tags,
        params: IdParams,
        querystring: PageQuery,
        response: { 200: ListOf('monitors', MonitorSchema) },
      },
    },
    async (request) => {
      const found = await findLabel(database.sql, request.params.id);
      const label = requireOwned(found?.removed ? undefined : found, request.caller, request.routeOptions.config);
      const { elements, total } = await listMonitors(database.sql, label, request.query);
      return listPage(links, request.query, {
        path: `/labels/${label.id}/monitors`,
        name: 'monitors',
        resourceType: 'monitor',
        elements: elements.map((monitor) => represent(links, monitor)),
        total,
      });
    },
  );
}

function addGetMonitor(app: App, { links, database }: Tools): void {
  app.get(
    '/monitors/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getMonitor',
        summary: 'Retrieve a balance monitor',
        description: 'Its state and last crossing. A deleted monitor remains readable, because events link to it.',
        tags,
        params: IdParams,
        response: { 200: MonitorSchema },
      },
    },
    async (request) => represent(links, await requireMonitor(database.sql, request.caller, request.params.id)),
  );
}

function addRemoveMonitor(app: App, { links, database, clock }: Tools): void {
  app.delete(
    '/monitors/:id',
    {
      config: { scope: 'write', problems: ['monitorDeleted'] },
      schema: {
        operationId: 'removeMonitor',
        summary: 'Delete a balance monitor',
        description: 'Returns the deleted monitor, which remains readable and is not listed.',
        tags,
        params: IdParams,
        response: { 200: MonitorSchema },
      },
    },
    async ({ caller, params }) => {
      const monitor = await database.transaction((tx) => deleteMonitor(tx, caller, params.id, clock.now(caller.accountId)));
      return represent(links, monitor);
    },
  );
}
