// The programs, receivers and people of the console that a text finds: applications and people by name, and subscriptions by URL.
import type { Sql } from '../../../platform/db/sql.ts';
import { fold } from '../../../resources/customers/folding.ts';
import { searchApplications } from '../../../resources/oauth/application.ts';
import { listOperators } from '../../../resources/operators/operator.ts';
import { searchSubscriptions } from '../../../resources/webhooks/subscription.ts';
import { PEOPLE, WEBHOOKS } from '../addresses.ts';
import type { Visit } from '../screen.ts';
import { HITS_MAX, type HitGroup } from './hit.ts';

const TEXT_MIN = 3;

export async function findRunning(sql: Sql, text: string, { may }: Pick<Visit, 'may'>): Promise<HitGroup[]> {
  if (text.length < TEXT_MIN) return [];
  const [applications, subscriptions, people] = await Promise.all([
    may('manageApplications') ? searchApplications(sql, text, HITS_MAX) : [],
    may('manageWebhooks') ? searchSubscriptions(sql, text, HITS_MAX) : [],
    may('managePeople') ? listOperators(sql) : [],
  ]);
  return [
    {
      name: 'Applications',
      hits: applications.map(({ id, name }) => ({ href: `/console/applications/${id}`, title: name, note: 'Application' })),
    },
    {
      name: 'Webhooks',
      hits: subscriptions.map(({ id, url }) => ({ href: `${WEBHOOKS}/${id}`, title: url, note: 'Subscription' })),
    },
    {
      name: 'People',
      hits: people
        .filter(({ name }) => fold(name).includes(fold(text)))
        .slice(0, HITS_MAX)
        .map(({ id, name, roles }) => ({ href: `${PEOPLE}/${id}`, title: name, note: roles.join(', ') || 'no role' })),
    },
  ];
}
