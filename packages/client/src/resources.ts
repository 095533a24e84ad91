// The calls of the client, grouped by resource.
import type { Api, CallOptions, Form, Month, PostOptions, Query } from './api.ts';
import { holdCalls } from './holds.ts';
import type { DocumentType } from './openapi.ts';
import { allocationRuleCalls, batchCalls, labelReallocationCalls } from './reallocations.ts';
import { collectionOf, hrefOf, type Ref } from './reference.ts';
import { scheduleCalls } from './schedules.ts';
import { type ChipContent, type FileContent, readUpload } from './upload.ts';

/** `from`: a label. */
type WithdrawalForm = Omit<Form<'/customers/{id}/withdrawals'>, '_links'> & { from?: Ref };

export type Resources = ReturnType<typeof resourceCalls>;

/** `baseUrl` turns ids into the URLs that request bodies need. */
export function resourceCalls(api: Api, baseUrl: string) {
  return {
    accounts: accountCalls(api),
    customers: customerCalls(api),
    /** Money that entered the customer's account, recorded from the bank side. */
    deposits: depositCalls(api),
    /** Money that left the customer's account, recorded from the bank side. */
    withdrawals: withdrawalCalls(api, baseUrl),
    /** Deposits that the bank took back, and withdrawals that came back. */
    returns: { get: (ref: Ref, options?: CallOptions) => api.get('/returns/{id}', ref, options) },
    /** Changes of what a customer owes because a deposit was returned. */
    owedEntries: owedEntryCalls(api),
    labels: labelCalls(api),
    /** All movements of a customer's money. */
    transfers: transferCalls(api),
    /** What a customer held and moved in a month. */
    statements: statementCalls(api),
    ledgerEntries: ledgerEntryCalls(api),
    labelReallocations: labelReallocationCalls(api, baseUrl),
    /** Money that is kept from being spent. */
    holds: holdCalls(api, baseUrl),
    /** Reallocations that a rule repeats. */
    schedules: scheduleCalls(api, baseUrl),
    /** Parts of deposits that go to labels. */
    allocationRules: allocationRuleCalls(api, baseUrl),
    /** Events when the amount of a label crosses a threshold. */
    monitors: monitorCalls(api),
    /** Up to 1,000 reallocations in one request. */
    labelReallocationBatches: batchCalls(api, baseUrl),
    beneficialOwners: beneficialOwnerCalls(api),
    /** Certification of the ownership of a business. */
    beneficialOwnership: beneficialOwnershipCalls(api),
    documents: documentCalls(api),
    reviews: reviewCalls(api),
    events: eventCalls(api),
    webhookSubscriptions: webhookSubscriptionCalls(api),
    /** Calls for test suites. They exist only in the sandbox. */
    sandbox: sandboxCalls(api),
    webhooks: webhookCalls(api),
  };
}

function accountCalls(api: Api) {
  return {
    get: (account: Ref, options?: CallOptions) => api.get('/accounts/{id}', account, options),
    /** What all its customers hold, by currency. */
    balance: (account: Ref, options?: CallOptions) => api.get('/accounts/{id}/balance', account, options),
    /** The newest checkpoint of the transparency log: a signed note. Keep it: a later checkpoint may not contradict it. */
    checkpoint: (account: Ref, options?: CallOptions, query?: Query<'/accounts/{id}/log/checkpoint'>) =>
      api.text('/accounts/{id}/log/checkpoint', account, options, query),
  };
}

function customerCalls(api: Api) {
  return {
    create: (form: Form<'/customers'>, options?: PostOptions) => api.create('/customers', undefined, form, options),
    get: (customer: Ref, options?: CallOptions) => api.get('/customers/{id}', customer, options),
    list: (query?: Query<'/customers'>, options?: CallOptions) => api.list('/customers', undefined, query, options),
    /** Changes contact members, the status, or the complete data while the customer is in retry or unverified. */
    update: (customer: Ref, change: Form<'/customers/{id}'>, options?: PostOptions) =>
      api.change('/customers/{id}', customer, change, options),
    /** Now, or at a past time with `at`. */
    balance: (customer: Ref, query?: Query<'/customers/{id}/balance'>, options?: CallOptions) =>
      api.get('/customers/{id}/balance', customer, options, query),
  };
}

function depositCalls(api: Api) {
  return {
    create: (customer: Ref, form: Form<'/customers/{id}/deposits'>, options?: PostOptions) =>
      api.create('/customers/{id}/deposits', customer, form, options),
    get: (deposit: Ref, options?: CallOptions) => api.get('/deposits/{id}', deposit, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/deposits'>, options?: CallOptions) =>
      api.list('/customers/{id}/deposits', customer, query, options),
    /** Records that the bank took it back, or `amount` of it. What is missing is refused, or owed with the shortfall `owe`. */
    return: (deposit: Ref, form: Form<'/deposits/{id}/returns'>, options?: PostOptions) =>
      api.create('/deposits/{id}/returns', deposit, form, options),
    /** Newest first. */
    returns: (deposit: Ref, query?: Query<'/deposits/{id}/returns'>, options?: CallOptions) =>
      api.list('/deposits/{id}/returns', deposit, query, options),
  };
}

function withdrawalCalls(api: Api, baseUrl: string) {
  return {
    /** From the available balance, or from a label. The amount value `all` is everything that is available there. */
    create: (customer: Ref, { from, ...form }: WithdrawalForm, options?: PostOptions) => {
      const _links = from && { from: { href: hrefOf(baseUrl, 'labels', from) } };
      return api.create('/customers/{id}/withdrawals', customer, { ...form, ...(_links && { _links }) }, options);
    },
    get: (withdrawal: Ref, options?: CallOptions) => api.get('/withdrawals/{id}', withdrawal, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/withdrawals'>, options?: CallOptions) =>
      api.list('/customers/{id}/withdrawals', customer, query, options),
    /** Records that it came back, or `amount` of it. */
    return: (withdrawal: Ref, form: Form<'/withdrawals/{id}/returns'>, options?: PostOptions) =>
      api.create('/withdrawals/{id}/returns', withdrawal, form, options),
    /** Newest first. */
    returns: (withdrawal: Ref, query?: Query<'/withdrawals/{id}/returns'>, options?: CallOptions) =>
      api.list('/withdrawals/{id}/returns', withdrawal, query, options),
  };
}

function owedEntryCalls(api: Api) {
  return {
    get: (entry: Ref, options?: CallOptions) => api.get('/owed-entries/{id}', entry, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/owed-entries'>, options?: CallOptions) =>
      api.list('/customers/{id}/owed-entries', customer, query, options),
  };
}

function labelCalls(api: Api) {
  return {
    /** Takes the amount, which may be zero, from the customer's available money. */
    create: (customer: Ref, form: Form<'/customers/{id}/labels'>, options?: PostOptions) =>
      api.create('/customers/{id}/labels', customer, form, options),
    get: (label: Ref, options?: CallOptions) => api.get('/labels/{id}', label, options),
    list: (customer: Ref, query?: Query<'/customers/{id}/labels'>, options?: CallOptions) =>
      api.list('/customers/{id}/labels', customer, query, options),
    /** Now, or at a past time with `at`; also of a removed label. */
    balance: (label: Ref, query?: Query<'/labels/{id}/balance'>, options?: CallOptions) =>
      api.get('/labels/{id}/balance', label, options, query),
    /** Changes the name, the metadata, or both. `metadata` replaces all pairs. */
    update: (label: Ref, change: Form<'/labels/{id}'>, options?: PostOptions) =>
      api.change('/labels/{id}', label, change, options),
    /** Only possible when the amount is zero. */
    remove: (label: Ref, options?: CallOptions) => api.remove('/labels/{id}', label, options),
  };
}

function monitorCalls(api: Api) {
  return {
    /** Either `below` or `above`. */
    create: (label: Ref, form: Form<'/labels/{id}/monitors'>, options?: PostOptions) =>
      api.create('/labels/{id}/monitors', label, form, options),
    get: (monitor: Ref, options?: CallOptions) => api.get('/monitors/{id}', monitor, options),
    list: (label: Ref, query?: Query<'/labels/{id}/monitors'>, options?: CallOptions) =>
      api.list('/labels/{id}/monitors', label, query, options),
    /** The monitor remains readable. */
    remove: (monitor: Ref, options?: CallOptions) => api.remove('/monitors/{id}', monitor, options),
  };
}

function transferCalls(api: Api) {
  return {
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/transfers'>, options?: CallOptions) =>
      api.list('/customers/{id}/transfers', customer, query, options),
    /** Of all customers, newest first. Its pages have no total. */
    search: (query?: Query<'/transfers'>, options?: CallOptions) => api.list('/transfers', undefined, query, options),
  };
}

function statementCalls(api: Api) {
  return {
    /** `{ month: '2026-01', zone: 'Europe/Berlin' }` */
    get: (customer: Ref, query: Month, options?: CallOptions) => api.statement(customer, query, options),
    /** The text of the CSV file. */
    csv: (customer: Ref, query: Month, options?: CallOptions) => api.statementText(customer, query, options),
    /** The PDF file. Its bytes: `await blob.arrayBuffer()`. */
    pdf: (customer: Ref, query: Month, options?: CallOptions) => api.statementFile(customer, query, options),
  };
}

function ledgerEntryCalls(api: Api) {
  return {
    /** A positive amount takes from the customer's available money, a negative one returns it. */
    create: (label: Ref, form: Form<'/labels/{id}/ledger-entries'>, options?: PostOptions) =>
      api.create('/labels/{id}/ledger-entries', label, form, options),
    get: (entry: Ref, options?: CallOptions) => api.get('/ledger-entries/{id}', entry, options),
    /** Newest first. */
    list: (label: Ref, query?: Query<'/labels/{id}/ledger-entries'>, options?: CallOptions) =>
      api.list('/labels/{id}/ledger-entries', label, query, options),
  };
}

function beneficialOwnerCalls(api: Api) {
  return {
    create: (customer: Ref, form: Form<'/customers/{id}/beneficial-owners'>, options?: PostOptions) =>
      api.create('/customers/{id}/beneficial-owners', customer, form, options),
    get: (owner: Ref, options?: CallOptions) => api.get('/beneficial-owners/{id}', owner, options),
    list: (customer: Ref, options?: CallOptions) => api.list('/customers/{id}/beneficial-owners', customer, {}, options),
    /** Only possible while the owner is incomplete. */
    update: (owner: Ref, change: Form<'/beneficial-owners/{id}'>, options?: PostOptions) =>
      api.change('/beneficial-owners/{id}', owner, change, options),
    remove: (owner: Ref, options?: CallOptions) => api.remove('/beneficial-owners/{id}', owner, options),
  };
}

function beneficialOwnershipCalls(api: Api) {
  return {
    get: (customer: Ref, options?: CallOptions) => api.get('/customers/{id}/beneficial-ownership', customer, options),
    certify: (customer: Ref, options?: PostOptions) =>
      api.change('/customers/{id}/beneficial-ownership', customer, { status: 'certified' }, options),
  };
}

function documentCalls(api: Api) {
  return {
    /** Uploads a document of a customer or a beneficial owner. The reference must not be a bare id, which does not show which it is. */
    submit: async (
      subject: Ref,
      { type, ...content }: { type: DocumentType } & ({ file: FileContent } | { chip: ChipContent }),
      options?: PostOptions,
    ) =>
      api.create(
        documentsOf(subject),
        subject,
        await readUpload(type, 'chip' in content ? content.chip : { file: content.file }),
        options,
      ),
    get: (document: Ref, options?: CallOptions) => api.get('/documents/{id}', document, options),
    /** Lists the documents of a customer or a beneficial owner. The reference must not be a bare id. */
    list: (subject: Ref, options?: CallOptions) => api.list(documentsOf(subject), subject, {}, options),
    /** Decides on a document, once. */
    review: (document: Ref, decision: Form<'/documents/{id}/reviews'>, options?: PostOptions) =>
      api.create('/documents/{id}/reviews', document, decision, options),
    reviews: (document: Ref, options?: CallOptions) => api.list('/documents/{id}/reviews', document, {}, options),
    /** Those that wait for a reviewer, oldest first. */
    waiting: (query?: Query<'/documents'>, options?: CallOptions) =>
      api.list('/documents', undefined, { ...query, status: 'pending' }, options),
    /** Takes a document that waits, or renews the claim. */
    claim: (document: Ref, options?: PostOptions) => api.change('/documents/{id}/claim', document, undefined, options),
    getClaim: (document: Ref, options?: CallOptions) => api.get('/documents/{id}/claim', document, options),
    /** Ends the claim of this application. */
    release: (document: Ref, options?: CallOptions) => api.remove('/documents/{id}/claim', document, options),
  };
}

function reviewCalls(api: Api) {
  return {
    get: (review: Ref, options?: CallOptions) => api.get('/reviews/{id}', review, options),
  };
}

function eventCalls(api: Api) {
  return {
    get: (event: Ref, options?: CallOptions) => api.get('/events/{id}', event, options),
    /** Newest first. With `after`, the events after that one, oldest first, so that none is skipped. */
    list: (query?: Query<'/events'>, options?: CallOptions) => api.list('/events', undefined, query, options),
  };
}

function webhookSubscriptionCalls(api: Api) {
  return {
    create: (form: Form<'/webhook-subscriptions'>, options?: PostOptions) =>
      api.create('/webhook-subscriptions', undefined, form, options),
    get: (subscription: Ref, options?: CallOptions) => api.get('/webhook-subscriptions/{id}', subscription, options),
    list: (query?: Query<'/webhook-subscriptions'>, options?: CallOptions) =>
      api.list('/webhook-subscriptions', undefined, query, options),
    update: (subscription: Ref, change: Form<'/webhook-subscriptions/{id}'>, options?: PostOptions) =>
      api.change('/webhook-subscriptions/{id}', subscription, change, options),
    remove: (subscription: Ref, options?: CallOptions) => api.remove('/webhook-subscriptions/{id}', subscription, options),
    /** Sets a new secret. Deliveries are signed with both secrets for a while. */
    rotateSecret: (subscription: Ref, form: Form<'/webhook-subscriptions/{id}/secrets'>, options?: PostOptions) =>
      api.change('/webhook-subscriptions/{id}/secrets', subscription, form, options),
    /** Sends a webhook without an event, to test a subscription. */
    ping: (subscription: Ref, options?: PostOptions) =>
      api.create('/webhook-subscriptions/{id}/pings', subscription, undefined, options),
  };
}

function sandboxCalls(api: Api) {
  return {
    /** Deletes all data of the account. Its applications and their tokens stay valid. */
    reset: (options?: PostOptions) => api.change('/sandbox/reset', undefined, undefined, options),
    clock: (options?: CallOptions) => api.get('/sandbox/clock', undefined, options),
    /** Advances the clock of the account, which also applies to its tokens. */
    advanceClock: (advanceSeconds: number, options?: PostOptions) =>
      api.change('/sandbox/clock', undefined, { advanceSeconds }, options),
    /** Makes the next calls of an operation, or the next deliveries, fail. */
    planFault: (fault: Form<'/sandbox/faults'>, options?: PostOptions) =>
      api.create('/sandbox/faults', undefined, fault, options),
    faults: (options?: CallOptions) => api.list('/sandbox/faults', undefined, {}, options),
    getFault: (fault: Ref, options?: CallOptions) => api.get('/sandbox/faults/{id}', fault, options),
    removeFault: (fault: Ref, options?: CallOptions) => api.remove('/sandbox/faults/{id}', fault, options),
  };
}

function webhookCalls(api: Api) {
  return {
    get: (webhook: Ref, options?: CallOptions) => api.get('/webhooks/{id}', webhook, options),
    list: (subscription: Ref, query?: Query<'/webhook-subscriptions/{id}/webhooks'>, options?: CallOptions) =>
      api.list('/webhook-subscriptions/{id}/webhooks', subscription, query, options),
    /** Sends the webhook again. */
    retry: (webhook: Ref, options?: PostOptions) => api.create('/webhooks/{id}/retries', webhook, undefined, options),
    retries: (webhook: Ref, options?: CallOptions) => api.list('/webhooks/{id}/retries', webhook, {}, options),
  };
}

function documentsOf(subject: Ref): '/customers/{id}/documents' | '/beneficial-owners/{id}/documents' {
  const collection = collectionOf(subject);
  if (collection === 'customers') return '/customers/{id}/documents';
  if (collection === 'beneficial-owners') return '/beneficial-owners/{id}/documents';
  throw new TypeError('Documents belong to a customer or a beneficial owner: reference it by URL, not by id.');
}
