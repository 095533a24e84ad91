// Finds the subscription of a page or an action, and changes it with its row of the audit log.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import type { Act } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { reportSubscriptions, type SubscriptionReport } from '../../../resources/webhooks/overview.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS } from '../addresses.ts';
import type { NextPage, Pages } from '../screen.ts';

export async function findReport({ database }: Pick<Service, 'database'>, id: string): Promise<SubscriptionReport | undefined> {
  return isId(id) ? (await reportSubscriptions(database.sql, id))[0] : undefined;
}

export async function requireReport(service: Pick<Service, 'database'>, id: string): Promise<SubscriptionReport> {
  const report = await findReport(service, id);
  if (!report) throw refuse('notFound', { message: 'Somebody removed the subscription.' });
  return report;
}

/** What a change did, for the audit log, and the page to show next. */
type Changed = { detail?: Act['detail']; next: string | NextPage };

/** `path`: below that of the subscription. `from`: the page of the form, if a refusal shows it again. */
type Change = {
  path: string;
  action: Act['action'];
  from?: string;
  change(tx: Sql, report: SubscriptionReport, form: URLSearchParams): Promise<Changed>;
};

/** An action that changes a subscription: one transaction with its row of the audit log. */
export function addChange(pages: Pages, { database }: Pick<Service, 'database'>, { path, action, from, change }: Change): void {
  pages.action(
    `${WEBHOOKS}/:id/${path}`,
    'manageWebhooks',
    async ({ params, audit }, form) => {
      const report = await requireReport({ database }, params.id!);
      return database.transaction(async (tx) => {
        const { detail, next } = await change(tx, report, form);
        await audit({ action, resource: { type: 'webhook-subscription', id: report.id }, ...(detail && { detail }) }, tx);
        return next;
      });
    },
    from === undefined ? undefined : { from },
  );
}
