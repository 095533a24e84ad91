// The list of all screens, in the order of the navigation.
import { applications } from './applications/applications.ts';
import { customers } from './customers/customers.ts';
import { money } from './money/money.ts';
import { operations } from './operations/operations.ts';
import { overview } from './overview/overview.ts';
import { auditLog } from './people/audit-log.ts';
import { people } from './people/people.ts';
import { rehearsal } from './rehearsal/rehearsal.ts';
import { review } from './review/review.ts';
import type { Screen } from './screen.ts';
import { webhooks } from './webhooks/webhooks.ts';

export const screens: Screen[] = [
  ...[overview, review, customers, money, webhooks],
  ...[applications, operations, rehearsal, people, auditLog],
];
