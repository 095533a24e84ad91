// A new secret of an application: the question, and the page that shows it once.
import { refuse } from '../../../core/problems.ts';
import { time } from '../../../platform/pages/time.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import type { Service } from '../../service/service.ts';
import { question, shownOnce } from '../question.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages } from '../screen.ts';
import { findApplication, useOf } from './application-state.ts';

const HREF = '/console/applications';
/** How long the present secret works, in hours. */
export const OVERLAPS = [
  { hours: 24, label: 'for 24 hours' },
  { hours: 168, label: 'for a week' },
  { hours: 0, label: 'not any more, because it has leaked' },
];

export function addSecret(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/new-secret`, 'manageApplications', async ({ params, query }) => {
    const report = await findApplication(service, params.id!);
    const overlap = overlapIn(query);
    if (!report || !overlap) return undefined;
    const { id, name, lastUsed } = report;
    const isAtOnce = overlap.hours === 0;
    return question({
      title: `Make a new secret of ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: isAtOnce
        ? 'The present secret is refused at once. The program gets no new token until it has the new one.'
        : `The present secret works ${overlap.label}. Give the program the new one before that.`,
      facts: [['Last used', lastUsed ? time(lastUsed) : 'never'], ...(await useOf(service, id))],
      action: `${HREF}/${id}/secret`,
      hidden: { overlap: String(overlap.hours) },
      verb: isAtOnce ? 'Replace the secret at once' : 'Make a new secret',
    });
  });
  pages.action(`${HREF}/:id/secret`, 'manageApplications', async (visit, form) => {
    const applicationId = visit.params.id!;
    const overlap = overlapIn(form);
    if (!overlap) throw refuse('badRequest', { message: 'Choose how long the present secret works.' });
    const wanted = { kind: 'rotate_secret', applicationId, overlapHours: overlap.hours } as const;
    const made = await makeChange(service, actorOf(visit), wanted);
    return made.waits === undefined ? { to: `${HREF}/${made.id}/secret`, shown: made.shown! } : requestHref(made.waits);
  });
  pages.page(`${HREF}/:id/secret`, 'manageApplications', async ({ params, kept }) => {
    const report = await findApplication(service, params.id!);
    const secret = kept.shown?.secret;
    return (
      report &&
      shownOnce({
        title: `The secret of ${report.name}`,
        back: { href: `${HREF}/${report.id}`, label: report.name },
        note: 'Copy the secret now. Only its hash is stored, so it is not shown again.',
        values:
          secret === undefined
            ? undefined
            : [
                ['Client id', report.id],
                ['Client secret', secret],
              ],
        remedy: 'If it was not copied, make a new one.',
      })
    );
  });
}

function overlapIn(given: URLSearchParams) {
  return OVERLAPS.find(({ hours }) => String(hours) === given.get('overlap'));
}
