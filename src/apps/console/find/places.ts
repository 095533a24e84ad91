// Pages and actions that a person can go to by name.
import { fold } from '../../../resources/customers/folding.ts';
import type { Permission } from '../../../resources/operators/role.ts';
import type { Visit } from '../screen.ts';
import { screens } from '../screens.ts';
import type { Hit } from './hit.ts';

/** `words`: what else people call it. `mode`: only there. */
type Place = {
  href: string;
  title: string;
  permission: Permission;
  note: string;
  words?: string | undefined;
  mode?: 'sandbox' | undefined;
};

/** What else people call the screens. */
const SCREEN_WORDS: Record<string, string> = {
  '/console': 'home dashboard',
  '/console/review': 'documents kyc identity passports',
  '/console/customers': 'businesses people clients balances',
  '/console/money': 'transfers payments transactions ledger reversals',
  '/console/close': 'reconciliation bank statements',
  '/console/webhooks': 'subscriptions events deliveries endpoints',
  '/console/applications': 'api clients secrets keys',
  '/console/operations': 'jobs queues health',
  '/console/sandbox': 'clock faults test reset',
  '/console/people': 'users team roles operators',
  '/console/policies': 'limits approvals rules',
  '/console/audit-log': 'history activity',
};

/** Pages beside the first page of each screen, and what can be done. */
const MORE: Place[] = [
  {
    href: '/console/customers',
    title: 'Move money',
    permission: 'moveMoney',
    note: 'Action: choose the customer first',
    words: 'deposit withdraw payout transfer reallocate hold schedule',
  },
  {
    href: '/console/customers',
    title: 'Make a label',
    permission: 'moveMoney',
    note: 'Action: choose the customer first',
    words: 'new pocket envelope',
  },
  {
    href: '/console/money',
    title: 'Reverse a transfer or record a return',
    permission: 'moveMoney',
    note: 'Action: find the transfer first',
    words: 'refund chargeback bounced undo',
  },
  {
    href: '/console/close',
    title: 'Statements of all customers',
    permission: 'moveMoney',
    note: 'Action: for a closed month',
    words: 'pdf export zip',
  },
  { href: '/console/review/decided', title: 'Decided documents', permission: 'reviewDocuments', note: 'Page' },
  {
    href: '/console/operations/keys',
    title: 'All keys',
    permission: 'readOperations',
    note: 'Page',
    words: 'encryption signing',
  },
  { href: '/console/account', title: 'Your sign-in', permission: 'readOverview', note: 'Page', words: 'passkey' },
  { href: '/console/account#times', title: 'Choose a time zone', permission: 'readOverview', note: 'Action', words: 'clock' },
  {
    href: '/console/webhooks/new',
    title: 'Create a subscription',
    permission: 'manageWebhooks',
    note: 'Action',
    words: 'new webhook',
  },
  {
    href: '/console/applications/new',
    title: 'Create an application',
    permission: 'manageApplications',
    note: 'Action',
    words: 'new client',
  },
  {
    href: '/console/people/new',
    title: 'Add a person',
    permission: 'managePeople',
    note: 'Action',
    words: 'new operator invite',
  },
  {
    href: '/console/operations',
    title: 'Run a job or the ledger check',
    permission: 'runOperations',
    note: 'Action',
    words: 'verify',
  },
  { href: '/console/operations/keys/signing', title: 'Rotate the signing key', permission: 'runOperations', note: 'Action' },
  { href: '/console/design', title: 'Design', permission: 'useSandbox', note: 'Page', words: 'components', mode: 'sandbox' },
];

/** The places whose words begin with those of the text; all of them for no text. */
export function findPlaces(text: string, { may, mode }: Pick<Visit, 'may'> & { mode: string }): Hit[] {
  const pages = screens.map(({ href, label, permission, mode: only }) => ({
    href,
    title: label,
    permission,
    note: 'Page',
    words: SCREEN_WORDS[href],
    mode: only,
  }));
  const wanted = wordsOf(text);
  return [...pages, ...MORE]
    .filter((place: Place) => may(place.permission) && (place.mode === undefined || place.mode === mode))
    .filter(({ title, words = '' }: Place) =>
      wanted.every((word) => wordsOf(`${title} ${words}`).some((one) => one.startsWith(word))),
    )
    .map(({ href, title, note }) => ({ href, title, note }));
}

function wordsOf(text: string): string[] {
  return fold(text).split(' ').filter(Boolean);
}
