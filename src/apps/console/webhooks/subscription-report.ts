// Finds the subscription of a page or an action.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { reportSubscriptions, type SubscriptionReport } from '../../../resources/webhooks/overview.ts';
import type { Service } from '../../service/service.ts';

export async function findReport({ database }: Pick<Service, 'database'>, id: string): Promise<SubscriptionReport | undefined> {
  return isId(id) ? (await reportSubscriptions(database.sql, id))[0] : undefined;
}

export async function requireReport(service: Pick<Service, 'database'>, id: string): Promise<SubscriptionReport> {
  const report = await findReport(service, id);
  if (!report) throw refuse('notFound');
  return report;
}
