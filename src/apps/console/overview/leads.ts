// Where a figure of the overview is explained, for those who may see that.
import type { Permission } from '../../../resources/operators/role.ts';
import type { Visit } from '../screen.ts';

export type About = 'webhooks' | 'review' | 'applications' | 'money';

const LEADS: Record<About, [permission: Permission, href: string]> = {
  webhooks: ['manageWebhooks', '/console/webhooks'],
  review: ['reviewDocuments', '/console/review'],
  applications: ['manageApplications', '/console/applications'],
  money: ['readMoney', '/console/money'],
};

/** Undefined for a person who may not see it. */
export function leadOf({ may }: Visit, about: About): string | undefined {
  const [permission, href] = LEADS[about];
  return may(permission) ? href : undefined;
}
