// What must exist before a call of a sample in a sandbox, and how the sample makes it. Other samples read a variable instead.
import type { Result } from './call.ts';

/** A call before or after the main one. Its path is that of its operation; `on` is the variable of the resource in it. */
export type Extra = { operation: string; on?: string; query?: string; body?: unknown; result?: Result };

type Preparation = {
  before: Extra[];
  after?: Extra[];
  /** The resource in the path of the main call, when it is not the one that its collection names. */
  on?: string;
  /** Instead of the recorded body. */
  body?: unknown;
  isAwaited?: boolean;
};

const amount = (value: string) => ({ amount: { value, currency: 'USD' } });
const create = (operation: string, name: string, rest: Omit<Extra, 'operation' | 'result'> = {}): Extra => ({
  ...{ operation, ...rest },
  result: { name, take: 'location' },
});
/** The newest element of a list. */
const newest = (operation: string, name: string, rest: Omit<Extra, 'operation' | 'result'> = {}): Extra => ({
  ...{ operation, ...rest },
  result: { name, take: 'first' },
});

const home = { address1: '1 Main Street', city: 'Springfield', country: 'US', postalCode: '62701' };
const birth = { dateOfBirth: '1985-04-12', ssn: '123-45-6789' };
const owner = (firstName: string) => ({
  ...{ firstName, lastName: 'Example', ...birth },
  address: { ...home, stateProvinceRegion: 'IL' },
});
const { country: _country, ...residence } = home;

const makePerson = (firstName: string) =>
  create('createCustomer', 'PERSON', {
    body: { type: 'personal', firstName, lastName: 'Example', email: 'ada@example.com', ...residence, state: 'IL', ...birth },
  });
const makeBusiness = create('createCustomer', 'BUSINESS', {
  body: {
    ...{ type: 'business', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com', ...residence, state: 'IL' },
    ...{ businessName: 'Example Goods', businessType: 'llc', businessClassification: 'retail', ein: '12-3456789' },
    controller: { ...owner('Grace'), title: 'Director' },
  },
});
const makeOwner = (on: string, firstName: string) => create('createBeneficialOwner', 'OWNER', { on, body: owner(firstName) });
const findOwner = newest('listBeneficialOwners', 'OWNER', { on: 'CUSTOMER' });

const links = { from: { href: '$FROM' }, to: { href: '$TO' } };
const reallocation = { _links: links, ...amount('5.00') };
const makeReallocation = create('createLabelReallocation', 'REALLOCATION', { body: reallocation });

const makeDeposit = create('createDeposit', 'DEPOSIT', { on: 'CUSTOMER', body: amount('5.00') });
const makeWithdrawal = create('createWithdrawal', 'WITHDRAWAL', { on: 'CUSTOMER', body: amount('5.00') });
const makeDebt = [
  makePerson('Ada'),
  create('createDeposit', 'DEPOSIT', { on: 'PERSON', body: amount('5.00') }),
  { operation: 'createWithdrawal', on: 'PERSON', body: amount('5.00') },
  { operation: 'returnDeposit', on: 'DEPOSIT', body: { reason: 'R01', shortfall: 'owe' } },
  newest('listOwedEntries', 'ENTRY', { on: 'PERSON' }),
];
const makeHold = create('createHold', 'HOLD', { on: 'CUSTOMER', body: { _links: { from: links.from }, ...amount('2.00') } });
const makeMonitor = create('createMonitor', 'MONITOR', { on: 'FROM', body: { below: amount('100.00').amount } });

const makeSchedule = create('createSchedule', 'SCHEDULE', {
  on: 'CUSTOMER',
  body: {
    _links: links,
    ...amount('5.00'),
    rule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
    start: '2099-01-31T18:00:00',
    timeZone: 'Europe/Berlin',
  },
});

// A customer has at most one active rule, so each sample has its own customer.
const ruleForm = { name: 'Tax first', steps: [{ label: { href: '$LABEL' }, percent: '25.00' }] };
const makePayer = [makePerson('Ada'), create('createLabel', 'LABEL', { on: 'PERSON', body: { name: 'Tax', ...amount('0') } })];
const makeRule = [...makePayer, create('createAllocationRule', 'RULE', { on: 'PERSON', body: ruleForm })];

const makeDocument = [makePerson('document'), create('submitCustomerDocument', 'DOCUMENT', { on: 'PERSON' })];
const rejection = { decision: 'rejected', reasons: ['ScanIdExpired'] };
const claim: Extra = { operation: 'claimDocument', on: 'DOCUMENT' };

// An account has at most ten subscriptions, so each sample removes its own.
const makeSubscription = create('createWebhookSubscription', 'SUBSCRIPTION', {
  body: { url: 'https://example.com/webhooks', secret: 'a secret that you choose', topics: ['customer_suspended'] },
});
const makeWebhook = [makeSubscription, create('pingWebhookSubscription', 'WEBHOOK', { on: 'SUBSCRIPTION' })];
const after: Extra[] = [{ operation: 'removeWebhookSubscription', on: 'SUBSCRIPTION' }];

const makeFault = create('planFault', 'FAULT', { body: { operation: 'createWithdrawal', status: 503 } });

/** By operationId. Operations that are not listed need only what a sandbox has at its start. */
export const preparations: Readonly<Record<string, Preparation>> = {
  getDeposit: { before: [newest('listDeposits', 'DEPOSIT', { on: 'CUSTOMER', query: '?limit=1' })] },
  getWithdrawal: { before: [makeWithdrawal] },
  returnDeposit: { before: [makeDeposit], body: { ...amount('1.00'), reason: 'R01 insufficient funds' } },
  listDepositReturns: { before: [makeDeposit] },
  returnWithdrawal: { before: [makeWithdrawal], body: { ...amount('1.00'), reason: 'account closed' } },
  listWithdrawalReturns: { before: [makeWithdrawal] },
  getReturn: {
    before: [makeDeposit, create('returnDeposit', 'RETURNED', { on: 'DEPOSIT', body: { ...amount('1.00'), reason: 'R01' } })],
    on: 'RETURNED',
  },
  getOwedEntry: { before: makeDebt, on: 'ENTRY' },
  getLedgerEntry: { before: [newest('listLedgerEntries', 'ENTRY', { on: 'FROM', query: '?limit=1' })], on: 'ENTRY' },
  removeLabel: {
    before: [create('createLabel', 'LABEL', { on: 'CUSTOMER', body: { name: 'Old', ...amount('0') } })],
    on: 'LABEL',
  },
  getLabelReallocation: { before: [makeReallocation] },
  createReversal: { before: [makeReallocation] },
  listReversals: { before: [makeReallocation] },
  getReceipt: { before: [makeReallocation], isAwaited: true },
  getHold: { before: [makeHold] },
  captureHold: { before: [makeHold], body: amount('1.00') },
  releaseHold: { before: [makeHold] },
  getSchedule: { before: [makeSchedule] },
  updateSchedule: { before: [makeSchedule], body: { paused: true } },
  removeSchedule: { before: [makeSchedule] },
  listScheduleOccurrences: { before: [makeSchedule] },
  getMonitor: { before: [makeMonitor] },
  removeMonitor: { before: [makeMonitor] },
  createAllocationRule: { before: makePayer, on: 'PERSON', body: ruleForm },
  getAllocationRule: { before: makeRule },
  updateAllocationRule: { before: makeRule, body: { paused: true } },
  removeAllocationRule: { before: makeRule },
  getLabelReallocationBatch: {
    before: [create('createLabelReallocationBatch', 'BATCH', { body: { mode: 'atomic', items: [reallocation] } })],
  },
  createBeneficialOwner: { before: [makeBusiness], on: 'BUSINESS' },
  getBeneficialOwner: { before: [findOwner] },
  updateBeneficialOwner: {
    before: [makeOwner('CUSTOMER', 'incomplete')],
    body: { firstName: 'Ada', ssn: '912-65-4320' },
    after: [{ operation: 'removeBeneficialOwner', on: 'OWNER' }],
  },
  removeBeneficialOwner: { before: [makeOwner('CUSTOMER', 'Ada')] },
  listBeneficialOwnerDocuments: { before: [findOwner] },
  submitBeneficialOwnerDocument: { before: [makeBusiness, makeOwner('BUSINESS', 'document')] },
  submitCustomerDocument: { before: [makePerson('document')], on: 'PERSON' },
  getDocument: { before: makeDocument },
  reviewDocument: { before: makeDocument },
  listDocumentReviews: { before: makeDocument },
  getReview: { before: [...makeDocument, create('reviewDocument', 'REVIEW', { on: 'DOCUMENT', body: rejection })] },
  claimDocument: { before: makeDocument },
  getDocumentClaim: { before: [...makeDocument, claim] },
  releaseDocument: { before: [...makeDocument, claim] },
  getEvent: { before: [newest('listEvents', 'EVENT', { query: '?limit=1' })] },
  getWebhookSubscription: { before: [makeSubscription], after },
  updateWebhookSubscription: { before: [makeSubscription], after },
  removeWebhookSubscription: { before: [makeSubscription] },
  rotateWebhookSecret: { before: [makeSubscription], after },
  pingWebhookSubscription: { before: [makeSubscription], after },
  listWebhooks: { before: [makeSubscription], after },
  getWebhook: { before: makeWebhook, after },
  listWebhookRetries: { before: makeWebhook, after },
  retryWebhook: { before: makeWebhook, after },
  getFault: { before: [makeFault], after: [{ operation: 'removeFault', on: 'FAULT' }] },
  removeFault: { before: [makeFault] },
  revokeToken: {
    before: [
      {
        ...{ operation: 'createToken', body: { grant_type: 'client_credentials' } },
        result: { name: 'OLD_TOKEN', take: 'access_token' },
      },
    ],
    body: { token: '$OLD_TOKEN' },
  },
};
