// The list of all screens, in the order of the navigation.
import { applications } from './applications/applications.ts';
import { close } from './close/close.ts';
import { customers } from './customers/customers.ts';
import { money } from './money/money.ts';
import { operations } from './operations/operations.ts';
import { overview } from './overview/overview.ts';
import { auditLog } from './people/audit-log.ts';
import { people } from './people/people.ts';
import { policies } from './policies/policies.ts';
import { review } from './review/review.ts';
import { sandbox } from './sandbox/sandbox.ts';
import type { Screen } from './screen.ts';
import { webhooks } from './webhooks/webhooks.ts';

export const screens: Screen[] = [
  ...[overview, review, customers, money, close, webhooks],
  ...[applications, operations, sandbox, people, policies, auditLog],
];
