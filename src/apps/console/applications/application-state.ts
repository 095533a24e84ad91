// Disables an application, after a question that shows its calls, and enables it.
import { isId } from '../../../core/ids.ts';
import type { Html } from '../../../platform/pages/html.ts';
import { time } from '../../../platform/pages/time.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import { type ApplicationReport, reportApplications } from '../../../resources/oauth/application.ts';
import { NO_CALLS, reportCalls } from '../../../resources/oauth/calls.ts';
import type { Service } from '../../service/service.ts';
import { question } from '../question.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages } from '../screen.ts';
import { countText } from './application-parts.ts';

const HREF = '/console/applications';

export async function findApplication(
  { database }: Pick<Service, 'database'>,
  id: string,
): Promise<ApplicationReport | undefined> {
  return isId(id) ? (await reportApplications(database.sql, { id }))[0] : undefined;
}

/** What the application did lately, for a question about it. Other processes report every ten seconds. */
export async function useOf({ database, calls }: Service, id: string): Promise<[name: string, value: Html][]> {
  await calls.flush();
  const { hour, day } = (await reportCalls(database.sql, id)).get(id) ?? NO_CALLS;
  return [
    ['Last hour', countText(hour)],
    ['Last 24 hours', countText(day)],
  ];
}

export function addStateChanges(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/disable`, 'manageApplications', async ({ params }) => {
    const report = await findApplication(service, params.id!);
    if (!report) return undefined;
    const { id, name, lastUsed } = report;
    return question({
      title: `Disable ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: 'All its requests are refused within a second, also those with a valid token, until it is enabled again.',
      facts: [['Last used', lastUsed ? time(lastUsed) : 'never'], ...(await useOf(service, id))],
      action: `${HREF}/${id}/disable`,
      verb: 'Disable the application',
    });
  });
  for (const { path, kind } of [
    { path: 'disable', kind: 'disable_application' },
    { path: 'enable', kind: 'enable_application' },
  ] as const) {
    pages.action(`${HREF}/:id/${path}`, 'manageApplications', async (visit) => {
      const made = await makeChange(service, actorOf(visit), { kind, applicationId: visit.params.id! });
      return made.waits === undefined ? `${HREF}/${made.id}?done=${path}d` : requestHref(made.waits);
    });
  }
}
