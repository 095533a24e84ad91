// The types of the interface, made of openapi.json by `npm run openapi`. Changes by hand are lost.

export interface paths {
  "/health/live": {
    get: operations["getLiveness"];
  };
  "/health/ready": {
    get: operations["getReadiness"];
  };
  "/": {
    get: operations["getRoot"];
  };
  "/accounts/{id}": {
    get: operations["getAccount"];
  };
  "/accounts/{id}/balance": {
    get: operations["getAccountBalance"];
  };
  "/customers": {
    get: operations["listCustomers"];
    post: operations["createCustomer"];
  };
  "/customers/{id}": {
    get: operations["getCustomer"];
    post: operations["updateCustomer"];
  };
  "/customers/{id}/balance": {
    get: operations["getCustomerBalance"];
  };
  "/customers/{id}/deposits": {
    get: operations["listDeposits"];
    post: operations["createDeposit"];
  };
  "/customers/{id}/withdrawals": {
    get: operations["listWithdrawals"];
    post: operations["createWithdrawal"];
  };
  "/deposits/{id}": {
    get: operations["getDeposit"];
  };
  "/withdrawals/{id}": {
    get: operations["getWithdrawal"];
  };
  "/deposits/{id}/returns": {
    get: operations["listDepositReturns"];
    post: operations["returnDeposit"];
  };
  "/withdrawals/{id}/returns": {
    get: operations["listWithdrawalReturns"];
    post: operations["returnWithdrawal"];
  };
  "/returns/{id}": {
    get: operations["getReturn"];
  };
  "/customers/{id}/owed-entries": {
    get: operations["listOwedEntries"];
  };
  "/owed-entries/{id}": {
    get: operations["getOwedEntry"];
  };
  "/customers/{id}/labels": {
    get: operations["listLabels"];
    post: operations["createLabel"];
  };
  "/labels/{id}": {
    get: operations["getLabel"];
    post: operations["updateLabel"];
    delete: operations["removeLabel"];
  };
  "/labels/{id}/balance": {
    get: operations["getLabelBalance"];
  };
  "/labels/{id}/ledger-entries": {
    get: operations["listLedgerEntries"];
    post: operations["createLedgerEntry"];
  };
  "/ledger-entries/{id}": {
    get: operations["getLedgerEntry"];
  };
  "/label-reallocations": {
    post: operations["createLabelReallocation"];
  };
  "/label-reallocations/{id}": {
    get: operations["getLabelReallocation"];
  };
  "/customers/{id}/label-reallocations": {
    get: operations["listLabelReallocations"];
  };
  "/label-reallocations/{id}/reversals": {
    get: operations["listReversals"];
    post: operations["createReversal"];
  };
  "/customers/{id}/holds": {
    get: operations["listHolds"];
    post: operations["createHold"];
  };
  "/holds/{id}": {
    get: operations["getHold"];
  };
  "/holds/{id}/captures": {
    post: operations["captureHold"];
  };
  "/holds/{id}/releases": {
    post: operations["releaseHold"];
  };
  "/customers/{id}/schedules": {
    get: operations["listSchedules"];
    post: operations["createSchedule"];
  };
  "/schedules/{id}": {
    get: operations["getSchedule"];
    post: operations["updateSchedule"];
    delete: operations["removeSchedule"];
  };
  "/schedules/{id}/occurrences": {
    get: operations["listScheduleOccurrences"];
  };
  "/customers/{id}/transfers": {
    get: operations["listTransfers"];
  };
  "/transfers": {
    get: operations["searchTransfers"];
  };
  "/customers/{id}/statements/{month}": {
    get: operations["getStatement"];
  };
  "/customers/{id}/allocation-rules": {
    get: operations["listAllocationRules"];
    post: operations["createAllocationRule"];
  };
  "/customers/{id}/allocation-rules/preview": {
    post: operations["previewAllocation"];
  };
  "/allocation-rules/{id}": {
    get: operations["getAllocationRule"];
    post: operations["updateAllocationRule"];
    delete: operations["removeAllocationRule"];
  };
  "/labels/{id}/monitors": {
    get: operations["listMonitors"];
    post: operations["createMonitor"];
  };
  "/monitors/{id}": {
    get: operations["getMonitor"];
    delete: operations["removeMonitor"];
  };
  "/label-reallocation-batches": {
    post: operations["createLabelReallocationBatch"];
  };
  "/label-reallocation-batches/{id}": {
    get: operations["getLabelReallocationBatch"];
  };
  "/customers/{id}/beneficial-owners": {
    get: operations["listBeneficialOwners"];
    post: operations["createBeneficialOwner"];
  };
  "/beneficial-owners/{id}": {
    get: operations["getBeneficialOwner"];
    post: operations["updateBeneficialOwner"];
    delete: operations["removeBeneficialOwner"];
  };
  "/customers/{id}/beneficial-ownership": {
    get: operations["getBeneficialOwnership"];
    post: operations["certifyBeneficialOwnership"];
  };
  "/beneficial-owners/{id}/documents": {
    get: operations["listBeneficialOwnerDocuments"];
    post: operations["submitBeneficialOwnerDocument"];
  };
  "/customers/{id}/documents": {
    get: operations["listCustomerDocuments"];
    post: operations["submitCustomerDocument"];
  };
  "/documents/{id}": {
    get: operations["getDocument"];
  };
  "/documents/{id}/reviews": {
    get: operations["listDocumentReviews"];
    post: operations["reviewDocument"];
  };
  "/reviews/{id}": {
    get: operations["getReview"];
  };
  "/documents": {
    get: operations["listWaitingDocuments"];
  };
  "/documents/{id}/claim": {
    get: operations["getDocumentClaim"];
    post: operations["claimDocument"];
    delete: operations["releaseDocument"];
  };
  "/events": {
    get: operations["listEvents"];
  };
  "/events/{id}": {
    get: operations["getEvent"];
  };
  "/accounts/{id}/log/checkpoint": {
    get: operations["getCheckpoint"];
  };
  "/label-reallocations/{id}/receipt": {
    get: operations["getReceipt"];
  };
  "/webhook-subscriptions": {
    get: operations["listWebhookSubscriptions"];
    post: operations["createWebhookSubscription"];
  };
  "/webhook-subscriptions/{id}": {
    get: operations["getWebhookSubscription"];
    post: operations["updateWebhookSubscription"];
    delete: operations["removeWebhookSubscription"];
  };
  "/webhook-subscriptions/{id}/secrets": {
    post: operations["rotateWebhookSecret"];
  };
  "/webhook-subscriptions/{id}/pings": {
    post: operations["pingWebhookSubscription"];
  };
  "/webhook-subscriptions/{id}/webhooks": {
    get: operations["listWebhooks"];
  };
  "/webhooks/{id}": {
    get: operations["getWebhook"];
  };
  "/webhooks/{id}/retries": {
    get: operations["listWebhookRetries"];
    post: operations["retryWebhook"];
  };
  "/metrics": {
    get: operations["getMetrics"];
  };
  "/token": {
    post: operations["createToken"];
  };
  "/token/revoke": {
    post: operations["revokeToken"];
  };
  "/token/introspect": {
    post: operations["introspectToken"];
  };
  "/.well-known/oauth-authorization-server": {
    get: operations["getAuthorizationServer"];
  };
  "/.well-known/jwks.json": {
    get: operations["getJwks"];
  };
  "/sandbox/clock": {
    get: operations["getClock"];
    post: operations["advanceClock"];
  };
  "/sandbox/reset": {
    post: operations["resetAccount"];
  };
  "/sandbox/faults": {
    get: operations["listFaults"];
    post: operations["planFault"];
  };
  "/sandbox/faults/{id}": {
    get: operations["getFault"];
    delete: operations["removeFault"];
  };
}
export interface AccessToken {
  /** @description A JWT (RFC 9068). */
  access_token: string;
  /**
   * @description DPoP if the request had a proof, to whose key the token is bound (RFC 9449).
   * @enum {string}
   */
  token_type: "Bearer" | "DPoP";
  /** @description Lifetime in seconds. */
  expires_in: number;
  scope: string;
  /** @description The one customer that the token is for (RFC 9396). */
  authorization_details?: {
    /** @enum {string} */
    type: "customer";
    /** @description The URL of the customer. */
    identifiers: string[];
    actions: ("read" | "write")[];
  }[];
}
export interface Account {
  _links: {
    self: Link;
    customers: Link;
  };
  /** Format: uuid */
  id: string;
  name: string;
  /** Format: date-time */
  created: string;
  log: TransparencyLog;
}
/** @description What all customers of an account hold in each currency: available = total − labelled. `owed` is what customers owe because deposits were returned that they had spent; it is absent if it is zero. */
export interface AccountBalance {
  _links: {
    self: Link;
    account: Link;
  };
  /**
   * Format: date-time
   * @description When the balances were added up.
   */
  at: string;
  balances: AccountCurrencyBalance[];
}
/** @description The clock of an account. All its resources use it. */
export interface AccountClock {
  _links: {
    self: Link;
  };
  /**
   * Format: date-time
   * @description Time of the account clock.
   */
  now: string;
  /** @description Seconds that the clock is ahead of real time. */
  aheadSeconds: number;
}
export interface AccountCurrencyBalance {
  currency: string;
  total: Amount;
  available: Amount;
  labelled: Amount;
  owed?: Amount;
  /** @description Number of customers with a balance in the currency, which may be zero. */
  customers: number;
}
/** @description Number of deleted records, by type. */
export interface AccountReset {
  _links: {
    account: Link;
  };
  removed: {
    customers: number;
    labels: number;
    transfers: number;
    documents: number;
    webhookSubscriptions: number;
  };
}
export interface Address {
  address1: string;
  address2?: string;
  address3?: string;
  city: string;
  stateProvinceRegion: string;
  /** @description ISO 3166-1 alpha-2. */
  country: string;
  postalCode?: string;
}
export interface Allocation {
  _links: {
    label: Link;
    "ledger-entry": Link;
  };
  amount: Amount;
}
/** @description What the steps would move to labels, and what would stay available. `repaid`: what would pay the customer's debt before them; absent if that is zero. */
export interface AllocationPreview {
  steps: PreviewedStep[];
  available: Amount;
  repaid?: Amount;
}
export interface AllocationPreviewRequest {
  amount: AmountRequest;
}
export interface AllocationRule {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present unless the rule is deleted. */
    edit?: Link;
    /** @description Present unless the rule is deleted. */
    remove?: Link;
  };
  /** Format: uuid */
  id: string;
  name: string;
  /** @description ISO 4217 code, that of its labels. The rule applies to deposits in this currency. */
  currency: string;
  steps: AllocationStep[];
  paused: boolean;
  /** Format: date-time */
  created: string;
  /** Format: date-time */
  deleted?: string;
}
/** @description Either name and steps, which replace those of the rule, or paused. */
export interface AllocationRuleChange {
  name?: string;
  steps?: AllocationStepRequest[];
  /** @description A paused rule does not apply to deposits. */
  paused?: boolean;
}
export interface AllocationRuleList {
  _links: PageLinks;
  _embedded: {
    "allocation-rules": AllocationRule[];
  };
  total: number;
}
export interface AllocationRuleRequest {
  name: string;
  steps: AllocationStepRequest[];
}
export interface AllocationStep {
  label: Link;
  percent?: string;
  amount?: Amount;
  until?: Amount;
}
/** @description Either percent or amount. With until, the step fills its label at most up to that balance. */
export interface AllocationStepRequest {
  label: LabelLink;
  /**
   * @description Percentage of the whole deposit, above 0 up to 100, with at most two decimals.
   * @example 25.00
   */
  percent?: string;
  amount?: AmountRequest;
  until?: AmountRequest;
}
/** @description What the allocation rule moved to labels, in the order of its steps. */
export interface Allocations {
  allocations: Allocation[];
}
export interface Amount {
  /**
   * @description Decimal digits, optionally followed by a point and at most the minor digits of the currency.
   * @example 10.50
   */
  value: string;
  /**
   * @description ISO 4217 code.
   * @example USD
   */
  currency: string;
}
export interface AmountOrAll {
  /**
   * @description Decimal digits as in Amount, or `all`: what the source has available, or the original has left, at that moment.
   * @example 10.00
   * @example all
   */
  value: string;
  /**
   * @description ISO 4217 code.
   * @example USD
   */
  currency: string;
}
export interface AmountRequest {
  /**
   * @description Decimal digits, optionally followed by a point and at most the minor digits of the currency.
   * @example 10.00
   */
  value: string;
  /**
   * @description ISO 4217 code.
   * @example USD
   */
  currency: string;
}
export interface AuthorizationServer {
  issuer: string;
  token_endpoint: string;
  revocation_endpoint: string;
  introspection_endpoint: string;
  jwks_uri: string;
  scopes_supported: string[];
  response_types_supported: string[];
  grant_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  token_endpoint_auth_signing_alg_values_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_signing_alg_values_supported: string[];
  introspection_endpoint_auth_methods_supported: string[];
  introspection_endpoint_auth_signing_alg_values_supported: string[];
  authorization_details_types_supported: string[];
  dpop_signing_alg_values_supported: string[];
  tls_client_certificate_bound_access_tokens: boolean;
}
export interface Balance {
  currency: string;
  total: Amount;
  available: Amount;
  held?: Amount;
  labelled: Amount;
  owed?: Amount;
}
export interface BatchItem {
  _links: {
    from: LabelLink;
    to: LabelLink;
  };
  amount: AmountOrAll;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export type BatchResult = MadeItem | RefusedItem;
export interface BatchWithdrawal {
  _links: {
    from: LabelLink;
  };
  amount: AmountOrAll;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export type BatchWithdrawalResult = MadeWithdrawal | RefusedItem;
export interface BeneficialOwner {
  _links: {
    self: Link;
    customer: Link;
    documents: Link;
    /** @description Present while the owner needs a document. */
    "verify-with-document"?: Link;
    /** @description Present while the owner is incomplete. */
    edit?: Link;
    /** @description Present while the owner is incomplete. */
    retry?: Link;
    /** @description Present unless the owner is removed, or the customer is suspended or deactivated. */
    remove?: Link;
  };
  /** Format: uuid */
  id: string;
  firstName: string;
  lastName: string;
  address: BeneficialOwnerAddress;
  verificationStatus: BeneficialOwnerStatus;
  /** Format: date-time */
  created: string;
}
export interface BeneficialOwnerAddress {
  address1: string;
  address2?: string;
  address3?: string;
  city: string;
  stateProvinceRegion: string;
  /** @description ISO 3166-1 alpha-2. */
  country: string;
  postalCode: string;
}
/** @description The members to replace. An address is replaced completely. An ssn replaces a passport and a passport replaces an ssn, unless both are given. */
export interface BeneficialOwnerChange {
  firstName?: string;
  lastName?: string;
  /**
   * Format: date
   * @description 18 to 125 years ago. Never returned.
   */
  dateOfBirth?: string;
  address?: BeneficialOwnerAddress;
  /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
  ssn?: string;
  passport?: Passport;
}
export interface BeneficialOwnerList {
  _links: {
    self: Link;
  };
  _embedded: {
    "beneficial-owners": BeneficialOwner[];
  };
  total: number;
}
/** @description A person who owns a part of the business. Requires ssn or passport. */
export interface BeneficialOwnerRequest {
  firstName: string;
  lastName: string;
  /**
   * Format: date
   * @description 18 to 125 years ago. Never returned.
   */
  dateOfBirth: string;
  address: BeneficialOwnerAddress;
  /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
  ssn?: string;
  passport?: Passport;
}
/** @enum {string} */
export type BeneficialOwnerStatus = "verified" | "document" | "incomplete";
/** @description The status `certified` becomes `recertify` when an owner is created, changed or removed. */
export interface BeneficialOwnership {
  _links: {
    self: Link;
    customer: Link;
    "beneficial-owners": Link;
    /** @description Present unless the ownership is certified. */
    certify?: Link;
  };
  /** @enum {string} */
  status: "uncertified" | "certified" | "recertify";
}
/** @description A soleProprietorship requires dateOfBirth and ssn of the account holder. Every other business requires ein and controller. */
export type BusinessCustomerRequest = {
  /** @enum {string} */
  type: "business";
  firstName: string;
  lastName: string;
  /** Format: email */
  email: string;
  address1: string;
  city: string;
  /**
   * @description Two-letter code of a US state.
   * @example CA
   */
  state: string;
  /** @description ZIP or ZIP+4. */
  postalCode: string;
  /**
   * Format: date
   * @description 18 to 125 years ago. Never returned.
   */
  dateOfBirth?: string;
  /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
  ssn?: string;
  businessName: string;
  /** @enum {string} */
  businessType: "soleProprietorship" | "corporation" | "llc" | "partnership";
  businessClassification: string;
  /** @description Nine digits with or without a hyphen. Never returned. */
  ein?: string;
  controller?: ControllerRequest;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  /** @description IP address of the person who filled in the form. Never returned. */
  ipAddress?: string;
} & (unknown & unknown);
/** @description A transfer of money that was held: a reallocation, a withdrawal, or a ledger entry of a label. */
export interface Capture {
  _links: {
    transfer: Link;
  };
  amount: Amount;
  /** Format: date-time */
  created: string;
}
/** @description Without `amount`, all that the hold has left. */
export interface CaptureRequest {
  /** @description Without it, the money leaves the customer, as a withdrawal. */
  _links?: {
    to: LabelLink;
  };
  amount?: AmountOrAll;
  /** @description Releases what is left afterwards. */
  final?: boolean;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description Oldest first; the last 100. Absent before the first. */
export interface Captures {
  captures: Capture[];
}
/**
 * @description After an outage: `each` (the default) runs every occurrence that is late, oldest first; `last` only the newest of those that are due; `none` those that are at most an hour late. The others are skipped.
 * @enum {string}
 */
export type CatchUp = "each" | "last" | "none";
export interface CertificationRequest {
  /** @enum {string} */
  status: "certified";
}
/** @description An application of the account, or a person of the console, without a name. */
export interface Claimant {
  /** @enum {string} */
  kind: "application" | "person";
  id: string;
}
export interface ClockAdvance {
  advanceSeconds: number;
}
export interface Controller {
  title: string;
  firstName: string;
  lastName: string;
  address: Address;
}
/** @description A person who controls the business. Requires ssn or passport. */
export interface ControllerRequest {
  title: string;
  firstName: string;
  lastName: string;
  /**
   * Format: date
   * @description 18 to 125 years ago. Never returned.
   */
  dateOfBirth: string;
  address: Address;
  /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
  ssn?: string;
  passport?: Passport;
}
/** @description A ledger entry that took the amount across the threshold, and the amount after it. */
export interface Crossing {
  _links: {
    "ledger-entry": Link;
  };
  /**
   * Format: date-time
   * @description The time of the ledger entry.
   */
  created: string;
  balance: Amount;
}
export interface Customer {
  _links: {
    self: Link;
    balance: Link;
    /** @description Present while the customer is verified. */
    labels?: Link;
    /** @description Present for a business. */
    "beneficial-owners"?: Link;
    /** @description Present for a business. */
    "beneficial-ownership"?: Link;
    /** @description Present unless the type is unverified. */
    documents?: Link;
    /** @description Present unless the customer is suspended or deactivated. */
    edit?: Link;
    /** @description Present unless the customer is suspended or deactivated. */
    suspend?: Link;
    /** @description Present unless the customer is deactivated. */
    deactivate?: Link;
    /** @description Present while the customer is suspended or deactivated, unless it was created in that status. */
    reactivate?: Link;
    /** @description Present while the status is retry. */
    "retry-verification"?: Link;
    /** @description Present while the status is document. */
    "verify-with-document"?: Link;
    /** @description Present for a business, unless it is certified, suspended or deactivated. */
    "certify-beneficial-ownership"?: Link;
    /** @description Present while the customer is verified. */
    "create-label"?: Link;
    /** @description Present while the customer is verified, or is suspended or deactivated after it was verified. */
    deposit?: Link;
    /** @description Present while the customer is verified. */
    withdraw?: Link;
  };
  /** Format: uuid */
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  type: CustomerType;
  status: CustomerStatus;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  /** Format: date-time */
  created: string;
  address1?: string;
  address2?: string;
  city?: string;
  state?: string;
  postalCode?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  businessName?: string;
  businessType?: string;
  businessClassification?: string;
  controller?: Controller;
}
/** @description The balance of a customer in each currency: available = total − labelled − held. `held` is what holds keep of the money without a label; it is absent if that is zero, and in the past. `owed` is what the customer owes because deposits were returned that it had spent, which the next deposits pay; it is no part of `total`, and absent if it is zero. */
export interface CustomerBalance {
  _links: {
    self: Link;
    customer: Link;
    "owed-entries": Link;
  };
  /**
   * Format: date-time
   * @description The time of the balances, if the request names one.
   */
  at?: string;
  balances: Balance[];
}
/** @description Either contact members or only status. An empty string removes an optional member. Names can be changed only of an unverified customer. metadata replaces all earlier pairs. */
export interface CustomerChange {
  /** @enum {string} */
  status?: "suspended" | "deactivated" | "reactivated";
  /** Format: email */
  email?: string;
  phone?: string;
  address1?: string;
  city?: string;
  /**
   * @description Two-letter code of a US state.
   * @example CA
   */
  state?: string;
  /** @description ZIP or ZIP+4. */
  postalCode?: string;
  address2?: string;
  doingBusinessAs?: string;
  website?: string;
  firstName?: string;
  lastName?: string;
  businessName?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export interface CustomerList {
  _links: PageLinks;
  _embedded: {
    customers: Customer[];
  };
  total: number;
}
export type CustomerRequest = PersonalCustomerRequest | BusinessCustomerRequest | UnverifiedCustomerRequest;
/** @enum {string} */
export type CustomerStatus = "verified" | "retry" | "document" | "suspended" | "deactivated" | "unverified";
/** @enum {string} */
export type CustomerType = "personal" | "business" | "unverified";
/** @description A change or, while the customer is in retry or unverified, its complete data. In retry the type is optional. */
export type CustomerUpdate = CustomerChange | PersonalCustomerRequest | BusinessCustomerRequest;
/** @enum {string} */
export type DecidedStatus = "ran" | "skipped" | "failed";
export interface DepositList {
  _links: PageLinks;
  _embedded: {
    deposits: Movement[];
  };
  total: number;
}
export interface DepositRequest {
  amount: AmountRequest;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description Without `amount`, or with the value `all`, what is not returned yet. */
export interface DepositReturnRequest {
  amount?: AmountOrAll;
  /**
   * @description Why the bank returned it, such as its code.
   * @example R01 insufficient funds
   */
  reason: string;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  /**
   * @description What happens if the customer does not have the money any more. `refuse`, the default: nothing is recorded. `owe`: the rest is recorded as owed, and paid by the next deposits.
   * @enum {string}
   */
  shortfall?: "refuse" | "owe";
}
/** @description failureReason and allFailureReasons are present only if the document was rejected. */
export interface Document {
  _links: {
    self: Link;
    /** @description Present on a document of a beneficial owner. */
    owner?: Link;
    /** @description Present on a document of the customer. */
    customer?: Link;
    reviews: Link;
  };
  /** Format: uuid */
  id: string;
  /** @enum {string} */
  status: "pending" | "reviewed";
  type: DocumentType;
  /** Format: date-time */
  created: string;
  /** @enum {string} */
  documentVerificationStatus: "pending" | "accepted" | "rejected";
  failureReason?: FailureReason;
  allFailureReasons?: DocumentFailure[];
  /** @description Present once the document was checked. */
  _embedded?: {
    evidence: Evidence;
  };
}
export interface DocumentClaim {
  _links: {
    self: Link;
    document: Link;
  };
  claimedBy: Claimant;
  /**
   * Format: date-time
   * @description When the claim lapses, unless it is renewed before.
   */
  until: string;
}
export interface DocumentFailure {
  reason: FailureReason;
  description: string;
}
export interface DocumentList {
  _links: {
    self: Link;
  };
  _embedded: {
    documents: Document[];
  };
  total: number;
}
/** @enum {string} */
export type DocumentType = "passport" | "license" | "idCard" | "other";
export interface DocumentUpload {
  documentType: DocumentType;
  /**
   * Format: binary
   * @description JPEG or PNG, or PDF for the type `other`; at most 10 MiB. Required, except with the files of a chip.
   */
  file?: string;
  /**
   * Format: binary
   * @description EF.SOD of the chip of a passport or an identity card (ICAO Doc 9303 part 10), at most 256 KiB.
   */
  sod?: string;
  /**
   * Format: binary
   * @description DG1 of the chip, with the machine-readable zone. Required with `sod`.
   */
  dg1?: string;
  /**
   * Format: binary
   * @description DG2 of the chip, with the portrait, at most 5 MiB.
   */
  dg2?: string;
  /**
   * Format: binary
   * @description DG11 of the chip, with the full name and birth date, at most 64 KiB.
   */
  dg11?: string;
  /**
   * Format: binary
   * @description DG14 of the chip, at most 64 KiB.
   */
  dg14?: string;
}
/** @description A change of a resource. */
export interface Event {
  _links: {
    self: Link;
    resource: Link;
    account: Link;
    /** @description Present unless the event is about the account itself. */
    customer?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  topic: Topic;
  /** Format: uuid */
  resourceId: string;
  /**
   * @description The event was lost and recreated by `earmark repair events`: it comes after events of later changes.
   * @enum {boolean}
   */
  late?: true;
  /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
  checkpoint?: string;
}
export interface EventList {
  _links: PageLinks;
  _embedded: {
    events: Event[];
  };
  total: number;
}
/** @description What the document proves. No level proves that the person who sent it is its holder. */
export interface Evidence {
  /**
   * @description `none`: nothing was read. `text`: a zone or barcode was read and its check digits hold, which a page printed at home passes. `document`: a chip is signed, with an algorithm or a key that is too weak today; no picture reaches it, because nothing tests whether a picture shows a document. `chip`: a state signed the data.
   * @enum {string}
   */
  level: "none" | "text" | "document" | "chip";
  parts: EvidencePart[];
}
export interface EvidencePart {
  /** @enum {string} */
  name: "data" | "outline" | "portrait" | "printedText" | "consistency" | "dataGroups" | "signature" | "issuer" | "validity" | "revocation" | "algorithms";
  /** @enum {string} */
  result: "holds" | "fails" | "unknown";
  /** @description For people. */
  text: string;
}
/** @enum {string} */
export type FailureReason = "ScanNotUploaded" | "ScanIdTypeNotSupported" | "ScanNotReadable" | "ScanIdUnrecognized" | "ScanDobMismatch" | "ScanNameMismatch" | "ScanIdExpired" | "ScanFailedOther" | "BusinessDocNotSupported" | "BusinessNameMismatch" | "BusinessTypeMismatch" | "ForeignPassportNotAllowed";
export interface Fault {
  /** @enum {string} */
  code: "Required" | "Invalid" | "InvalidFormat" | "Duplicate" | "NotAllowed" | "InsufficientFunds" | "ReadOnly";
  message: string;
  /** @description JSON pointer (RFC 6901) to the refused value. */
  path: string;
  _links: Record<string, never>;
}
export interface FaultRequest {
  /** @description The operationId of an operation that requires a token, or `deliverWebhook` for webhook deliveries. */
  operation: string;
  /** @description Status of the response. For an operation one of 401, 429, 500, 503; for a delivery any. */
  status?: number;
  /** @description Close the connection without a response. */
  cut?: boolean;
  /** @description Delay in milliseconds before anything else. */
  delayMs?: number;
  /** @description Whether the operation is executed and only its response is lost, as a test of Idempotency-Key. Default: false. */
  effect?: boolean;
  /** @description Number of requests that get the fault. Default: 1. */
  times?: number;
}
export interface Health {
  /** @enum {string} */
  status: "ok";
}
/** @description `remaining` is what it holds now: nothing unless it is pending. */
export interface Hold {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present for a hold of a label. */
    from?: Link;
    /** @description Present while the hold is pending. */
    capture?: Link;
    /** @description Present while the hold is pending. */
    release?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  status: HoldStatus;
  amount: Amount;
  captured: Amount;
  remaining: Amount;
  /**
   * Format: date-time
   * @description From this moment on, the money is available again.
   */
  expires: string;
  /**
   * Format: date-time
   * @description When it was captured or released, or expired.
   */
  closed?: string;
  reference?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  _embedded?: Captures;
}
export interface HoldList {
  _links: PageLinks;
  _embedded: {
    holds: Hold[];
  };
  total: number;
}
export interface HoldRequest {
  /** @description Without it, money of the available balance is held. */
  _links?: {
    from: LabelLink;
  };
  amount: AmountRequest;
  /**
   * Format: date-time
   * @description At most 400 days ahead. Seven days ahead by default.
   */
  expires?: string;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @enum {string} */
export type HoldStatus = "pending" | "captured" | "released" | "expired";
/**
 * @description If the source has less available than the amount: `skip` (the default) moves nothing, `partial` moves what is available, `fail` moves nothing and reports a failure. Either way the schedule goes on.
 * @enum {string}
 */
export type IfInsufficient = "skip" | "partial" | "fail";
/** @description Members other than `active` are present only for an active token of the caller’s account. */
export interface Introspection {
  active: boolean;
  /** @enum {string} */
  token_type?: "Bearer" | "DPoP";
  scope?: string;
  client_id?: string;
  account_id?: string;
  sub?: string;
  aud?: string;
  iss?: string;
  jti?: string;
  /** Format: int64 */
  iat?: number;
  /** Format: int64 */
  exp?: number;
  /** @description The one customer that the token is for (RFC 9396). */
  authorization_details?: {
    /** @enum {string} */
    type: "customer";
    /** @description The URL of the customer. */
    identifiers: string[];
    actions: ("read" | "write")[];
  }[];
  /** @description The key or the client certificate that the token is bound to (RFC 7800). */
  cnf?: {
    jkt?: string;
    "x5t#S256"?: string;
  };
}
export interface Jwk {
  /** @enum {string} */
  kty: "OKP";
  crv: string;
  x: string;
  kid: string;
  /** @enum {string} */
  use: "sig";
  /** @enum {string} */
  alg: "EdDSA";
}
export interface JwkSet {
  keys: Jwk[];
}
/** @description `held` is what pending holds have left of the amount, and `available` the rest. Both are absent while nothing is held. */
export interface Label {
  _links: {
    self: Link;
    "ledger-entries": Link;
    customer: Link;
    /** @description Present while the customer may move money. */
    update?: Link;
    /** @description Present while the amount is zero. */
    remove?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  amount: Amount;
  held?: Amount;
  available?: Amount;
  name?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export interface LabelBalance {
  _links: {
    self: Link;
    label: Link;
  };
  balance: Amount;
  /**
   * Format: int64
   * @description The number of ledger entries until then.
   */
  sequence: number;
  /**
   * Format: date-time
   * @description The time of the balance, if the request names one.
   */
  at?: string;
}
/** @description At least one of them. Pairs that are not in `metadata` are dropped. */
export interface LabelChange {
  name?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description Only href is needed. A link that was read can be sent back as it is. */
export interface LabelLink {
  /**
   * Format: uri
   * @description URL of a label, {base}/labels/{id}.
   */
  href: string;
  type?: string;
  /** @enum {string} */
  "resource-type"?: "label";
}
export interface LabelList {
  _links: PageLinks;
  _embedded: {
    labels: Label[];
  };
  total: number;
}
export interface LabelReallocation {
  _links: {
    self: Link;
    from: Link;
    to: Link;
    "from-ledger-entry": Link;
    "to-ledger-entry": Link;
    customer: Link;
    /** @description The hold that it captured. Present for a capture. */
    hold?: Link;
    /** @description The schedule that made it. */
    schedule?: Link;
    /** @description Present unless this is a reversal. */
    reversals?: Link;
    /** @description Present while a part of the amount is not reversed. */
    reverse?: Link;
    /** @description The reversed reallocation. Present if this is a reversal. */
    reverses?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  amount: Amount;
  reversed?: Amount;
  reference?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export interface LabelReallocationBatch {
  _links: {
    self: Link;
  };
  /** Format: uuid */
  id: string;
  /** @enum {string} */
  mode: "atomic" | "independent";
  /** Format: date-time */
  created: string;
  /** @description Of items and withdrawals. */
  total: number;
  succeeded: number;
  refused: number;
  _embedded: {
    /** @description Of the items. */
    results: BatchResult[];
    /** @description Of the withdrawals, if the request had some. */
    withdrawals?: BatchWithdrawalResult[];
  };
}
/** @description `items`, `withdrawals` or both; together at most 1000. */
export interface LabelReallocationBatchRequest {
  /**
   * @description `atomic`: all items are of one customer, and all are made or none. `independent`: each item by itself.
   * @enum {string}
   */
  mode: "atomic" | "independent";
  items?: BatchItem[];
  /** @description Withdrawals from labels, which are decided after the items. They also need the scope `funds`. */
  withdrawals?: BatchWithdrawal[];
}
export interface LabelReallocationList {
  _links: PageLinks;
  _embedded: {
    "label-reallocations": LabelReallocation[];
  };
  total: number;
}
export interface LabelReallocationRequest {
  _links: {
    from: LabelLink;
    to: LabelLink;
  };
  amount: AmountOrAll;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export interface LabelRequest {
  amount: AmountRequest;
  name?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description What became of the last occurrence. */
export interface LastOccurrence {
  _links: {
    /** @description Present if it ran. */
    "label-reallocation"?: Link;
  };
  /**
   * Format: date-time
   * @description The time by the rule.
   */
  at: string;
  status: DecidedStatus;
  reason?: OccurrenceReason;
  amount?: Amount;
}
export interface LedgerEntry {
  _links: {
    self: Link;
    label: Link;
    /** @description Present if the entry is part of a label reallocation. */
    "label-reallocation"?: Link;
    /** @description Present if an allocation rule moved a part of a deposit. */
    deposit?: Link;
    /** @description Present if an allocation rule moved a part of a deposit. */
    "allocation-rule"?: Link;
    /** @description Present if the money was taken for the return of a deposit. */
    return?: Link;
  };
  /** Format: uuid */
  id: string;
  amount: SignedAmount;
  balance: Amount;
  /** Format: int64 */
  sequence: number;
  /** Format: date-time */
  created: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
}
export interface LedgerEntryList {
  _links: PageLinks;
  _embedded: {
    "ledger-entries": LedgerEntry[];
  };
  total: number;
}
export interface LedgerEntryRequest {
  amount: SignedAmountRequest;
  reference?: string;
}
/** @description A link to a resource. A link for an action is present only while the action is allowed. */
export interface Link {
  /** Format: uri */
  href: string;
  type: string;
  "resource-type": string;
}
export interface MadeItem {
  /** @description Position in its list of the request. */
  index: number;
  _links: {
    "label-reallocation": Link;
  };
}
export interface MadeWithdrawal {
  /** @description Position in its list of the request. */
  index: number;
  _links: {
    withdrawal: Link;
  };
}
export interface Monitor {
  _links: {
    self: Link;
    label: Link;
    customer: Link;
    /** @description Present unless the monitor is deleted. */
    remove?: Link;
  };
  /** Format: uuid */
  id: string;
  below?: Amount;
  above?: Amount;
  rearm: Amount;
  /**
   * @description `armed`: the next crossing is reported. `crossed`: the amount is beyond the threshold, or not back at rearm.
   * @enum {string}
   */
  state: "armed" | "crossed";
  lastCrossing?: Crossing;
  /** Format: date-time */
  created: string;
  /** Format: date-time */
  deleted?: string;
}
export interface MonitorList {
  _links: PageLinks;
  _embedded: {
    monitors: Monitor[];
  };
  total: number;
}
/** @description Either below or above, in the currency of the label: a crossing is when the amount becomes less than below, or more than above. After a crossing, the next one is reported once the amount was at least rearm (with below) or at most rearm (with above), by default the threshold. */
export interface MonitorRequest {
  below?: AmountRequest;
  above?: AmountRequest;
  rearm?: AmountRequest;
}
/** @description A deposit or a withdrawal. `returned`: the sum of its returns. `repaid`: the part of a deposit that paid what the customer owed; absent if that is zero. */
export interface Movement {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present for a withdrawal from a label. */
    from?: Link;
    /** @description Present for a withdrawal that captured a hold. */
    hold?: Link;
    /** @description Present for a deposit that an allocation rule applied to. */
    "allocation-rule"?: Link;
    /** @description Present for a deposit that paid what the customer owed. */
    "owed-entry"?: Link;
    returns: Link;
    /** @description Present while a part of the amount is not returned. */
    return?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  amount: Amount;
  returned: Amount;
  repaid?: Amount;
  reference?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  _embedded?: Allocations;
}
/** @description An OAuth error (RFC 6749 §5.2), with the `code` and `message` of other errors. */
export interface OAuthError {
  /** @enum {string} */
  error: "invalid_client" | "invalid_request" | "unsupported_grant_type" | "invalid_scope" | "invalid_authorization_details" | "invalid_dpop_proof" | "use_dpop_nonce";
  error_description: string;
  /** @enum {string} */
  code: "InvalidClient" | "InvalidRequest" | "UnsupportedGrantType" | "InvalidScope" | "InvalidAuthorizationDetails" | "InvalidDpopProof" | "UseDpopNonce";
  message: string;
}
/**
 * @description Why it was skipped or failed. `Missed`: it was late, and the schedule does not catch up.
 * @enum {string}
 */
export type OccurrenceReason = "InsufficientFunds" | "NothingToMove" | "Missed" | "CustomerNotVerified" | "LabelRemoved" | "BalanceLimit";
/**
 * @description `due`: the time has come, and it runs within seconds.
 * @enum {string}
 */
export type OccurrenceStatus = "planned" | "due" | "ran" | "skipped" | "failed";
/** @description A change of what a customer owes: a debt adds to it, a repayment takes from it. */
export interface OwedEntry {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present for a debt: the return of a deposit that the customer had spent. */
    return?: Link;
    /** @description Present for a repayment: the deposit that paid it. */
    deposit?: Link;
  };
  /** Format: uuid */
  id: string;
  kind: OwedEntryKind;
  /** Format: date-time */
  created: string;
  amount: Amount;
}
/** @enum {string} */
export type OwedEntryKind = "debt" | "repayment";
export interface OwedEntryList {
  _links: PageLinks;
  _embedded: {
    "owed-entries": OwedEntry[];
  };
  total: number;
}
/** @description Links to the other pages of a list. */
export interface PageLinks {
  self: Link;
  first: Link;
  last: Link;
  /** @description Present unless this is the last page. */
  next?: Link;
  /** @description Present with `offset`, unless this is the first page. Past the end of the list it links to the last page. */
  prev?: Link;
}
/** @description Never returned. */
export interface Passport {
  number: string;
  /** @description ISO 3166-1 alpha-2. */
  country: string;
}
export interface PersonalCustomerRequest {
  /** @enum {string} */
  type: "personal";
  firstName: string;
  lastName: string;
  /** Format: email */
  email: string;
  address1: string;
  city: string;
  /**
   * @description Two-letter code of a US state.
   * @example CA
   */
  state: string;
  /** @description ZIP or ZIP+4. */
  postalCode: string;
  /**
   * Format: date
   * @description 18 to 125 years ago. Never returned.
   */
  dateOfBirth: string;
  /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
  ssn: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  /** @description IP address of the person who filled in the form. Never returned. */
  ipAddress?: string;
}
/** @description A fault planned for the next requests of an operation, or for the next webhook deliveries. */
export interface PlannedFault {
  _links: {
    self: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  /** @description The operationId of an operation that requires a token, or `deliverWebhook` for webhook deliveries. */
  operation: string;
  /** @description Status of the response. For an operation one of 401, 429, 500, 503; for a delivery any. */
  status?: number;
  /** @description Close the connection without a response. */
  cut?: boolean;
  /** @description Delay in milliseconds before anything else. */
  delayMs?: number;
  /** @description Whether the operation is executed and only its response is lost, as a test of Idempotency-Key. Default: false. */
  effect?: boolean;
  /** @description Number of requests that will still get the fault. */
  remaining: number;
}
export interface PlannedFaultList {
  _links: {
    self: Link;
  };
  _embedded: {
    faults: PlannedFault[];
  };
  total: number;
}
export interface PreviewedStep {
  _links: {
    label: Link;
  };
  amount: Amount;
}
/** @description An error. A `ValidationError`, and a `BadRequest` for a body, list the refused values in `_embedded.errors`. */
export interface Problem {
  code: ProblemCode;
  message: string;
  _links?: {
    /** @description The resource that the refusal is about. */
    about?: Link;
  };
  _embedded?: {
    errors: Fault[];
  };
}
/** @enum {string} */
export type ProblemCode = "BadRequest" | "ValidationError" | "MaxNumberOfResources" | "DuplicateResource" | "InvalidFileType" | "BadFile" | "InvalidAccessToken" | "ExpiredAccessToken" | "Forbidden" | "InvalidResourceState" | "NotFound" | "MethodNotAllowed" | "InvalidVersion" | "RequestTimeout" | "Conflict" | "FileTooLarge" | "RequestTooLarge" | "UnsupportedRequestContentType" | "TooManyRequests" | "ServerError" | "ServiceUnavailable";
export interface Readiness {
  /** @enum {string} */
  status: "ok" | "degraded";
  /** @description Present if `status` is `degraded`: the servers of the cluster that do not answer or are read-only, at least one of each kind. */
  away?: ("coordinator" | "workers")[];
}
/** @description Proof that a label reallocation is in the transparency log of the account. */
export interface Receipt {
  _links: {
    self: Link;
    "label-reallocation": Link;
  };
  /** @description The exact text of the log entry. Its leaf hash is SHA-256 of a zero byte and this text. */
  entry: string;
  /**
   * Format: int64
   * @description The index of the entry in the log.
   */
  index: number;
  /** @description The signed checkpoint of a tree that contains the entry. */
  checkpoint: string;
  /** @description Hashes in base64, from the sibling of the leaf up to the root. */
  proof: string[];
}
/** @description What was taken from labels, in this order. Absent if all was available, or owed. */
export interface Recoveries {
  recoveries: Recovery[];
}
export interface Recovery {
  _links: {
    label: Link;
    "ledger-entry": Link;
  };
  amount: Amount;
}
export interface RefusedItem {
  /** @description Position in its list of the request. */
  index: number;
  /** @description Code of the error: that of a refused value, `NotFound` or `Forbidden`. */
  code: string;
  message: string;
  /** @description JSON pointer (RFC 6901) into the body of the request. */
  path: string;
}
/** @description A deposit that the bank took back, or a withdrawal that came back, or a part of it. `owed`: the part that was recorded as owed; absent if that is zero. */
export interface Return {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present for the return of a deposit. */
    deposit?: Link;
    /** @description Present for the return of a withdrawal. */
    withdrawal?: Link;
    /** @description The label to which a withdrawal came back. Present if it left that label. */
    to?: Link;
    /** @description Present if a part was recorded as owed. */
    "owed-entry"?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  amount: Amount;
  reason: string;
  owed?: Amount;
  reference?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  _embedded?: Recoveries;
}
export interface ReturnList {
  _links: PageLinks;
  _embedded: {
    returns: Return[];
  };
  total: number;
}
/** @description Without `amount`, what is not reversed yet. */
export interface ReversalRequest {
  amount?: AmountRequest;
  /**
   * @description `exact`, the default: moves the amount back, or nothing. `available`: moves back at most what the label still has available, and responds with the reallocation, whose amount says how much that is.
   * @enum {string}
   */
  mode?: "exact" | "available";
  reference?: string;
}
export interface Review {
  _links: {
    self: Link;
    document: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  reviewer: Reviewer;
  /** @enum {string} */
  decision: "accepted" | "rejected" | "undecided";
  reasons: FailureReason[];
  note?: string;
  /** @description Whether the review decided on the document, alone or with others that agree. False if it is undecided, or if it waits for a second reviewer or was not confirmed by one. */
  effective: boolean;
}
export interface ReviewList {
  _links: {
    self: Link;
    document: Link;
  };
  _embedded: {
    reviews: Review[];
  };
  total: number;
}
export interface ReviewRequest {
  /** @enum {string} */
  decision: "accepted" | "rejected";
  /** @description At least one if rejected, in any order; none if accepted. Business reasons apply only to the type other. */
  reasons?: FailureReason[];
  /** @description Required to change the decision on a document. */
  note?: string;
}
export type Reviewer = {
  /** @enum {string} */
  kind: "application";
  id: string;
} | {
  /** @enum {string} */
  kind: "person";
  name: string;
  place: string;
  /** @description Only of a person of the console. */
  id?: string;
} | {
  /** @enum {string} */
  kind: "checker";
  name: string;
  version: string;
  lookedAt: string[];
};
export interface Root {
  _links: {
    account: Link;
    customers: Link;
    events: Link;
    "webhook-subscriptions": Link;
    openapi: {
      /** Format: uri */
      href: string;
      type: string;
    };
  };
}
export interface Schedule {
  _links: {
    self: Link;
    customer: Link;
    from: Link;
    to: Link;
    occurrences: Link;
    /** @description Present until the schedule has ended. */
    edit?: Link;
    /** @description Present until the schedule has ended. */
    remove?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  status: ScheduleStatus;
  amount: ScheduleAmount;
  /**
   * @description RRULE of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, and COUNT or UNTIL. Days that a month does not have are left out; BYMONTHDAY=-1 is its last day.
   * @example FREQ=MONTHLY;BYMONTHDAY=-1
   */
  rule: string;
  /**
   * @description Local time without an offset. Occurrences have this time of day, none is earlier, and intervals and COUNT begin here. Occurrences before the creation of the schedule do not run.
   * @example 2026-01-31T18:00:00
   */
  start: string;
  /**
   * @description IANA name. A local time that clocks skip occurs as much after the change as it would be without; one that they show twice occurs the first time.
   * @example Europe/Berlin
   */
  timeZone: string;
  ifInsufficient: IfInsufficient;
  catchUp: CatchUp;
  /**
   * Format: date-time
   * @description The next occurrence. Absent unless active.
   */
  next?: string;
  lastOccurrence?: LastOccurrence;
  /** Format: date-time */
  ended?: string;
  endReason?: ScheduleEndReason;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description One of value, above and upTo. Decided at each occurrence, under the lock of both labels. */
export interface ScheduleAmount {
  /**
   * @description Decimal digits, or `all`: what the source has available.
   * @example 100.00
   * @example all
   */
  value?: string;
  /**
   * @description What the source has available beyond this amount.
   * @example 500.00
   */
  above?: string;
  /**
   * @description What the destination lacks to this amount.
   * @example 500.00
   */
  upTo?: string;
  /**
   * @description That of the labels. A request needs it beside a `value` of digits.
   * @example USD
   */
  currency?: string;
}
/** @description At least one member. A new rule goes on after the last occurrence. */
export interface ScheduleChange {
  amount?: ScheduleAmount;
  /**
   * @description RRULE of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, and COUNT or UNTIL. Days that a month does not have are left out; BYMONTHDAY=-1 is its last day.
   * @example FREQ=MONTHLY;BYMONTHDAY=-1
   */
  rule?: string;
  /**
   * @description Local time without an offset. Occurrences have this time of day, none is earlier, and intervals and COUNT begin here. Occurrences before the creation of the schedule do not run.
   * @example 2026-01-31T18:00:00
   */
  start?: string;
  /**
   * @description IANA name. A local time that clocks skip occurs as much after the change as it would be without; one that they show twice occurs the first time.
   * @example Europe/Berlin
   */
  timeZone?: string;
  ifInsufficient?: IfInsufficient;
  catchUp?: CatchUp;
  /** @description Occurrences during a pause do not run, also not afterwards. */
  paused?: boolean;
  reference?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/**
 * @description `Finished`: the rule has no further occurrence. `Ended`: by a request. `LabelRemoved`: a label was removed.
 * @enum {string}
 */
export type ScheduleEndReason = "Finished" | "Ended" | "LabelRemoved";
export interface ScheduleList {
  _links: PageLinks;
  _embedded: {
    schedules: Schedule[];
  };
  total: number;
}
export interface ScheduleOccurrence {
  _links: {
    schedule: Link;
    /** @description Present if it ran. */
    "label-reallocation"?: Link;
  };
  /**
   * Format: uuid
   * @description Follows from the schedule and the time. The reallocation of the occurrence has this id.
   */
  id: string;
  /**
   * Format: date-time
   * @description The time by the rule.
   */
  at: string;
  status: OccurrenceStatus;
  reason?: OccurrenceReason;
  amount?: Amount;
  /**
   * Format: date-time
   * @description When it ran, was skipped, or failed; its event has the same time.
   */
  decided?: string;
}
export interface ScheduleOccurrenceList {
  _links: PageLinks;
  _embedded: {
    "schedule-occurrences": ScheduleOccurrence[];
  };
  total: number;
}
/** @description Each reallocation has the reference, the correlation id and the metadata of the schedule. */
export interface ScheduleRequest {
  _links: {
    from: LabelLink;
    to: LabelLink;
  };
  amount: ScheduleAmount;
  /**
   * @description RRULE of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, WKST, and COUNT or UNTIL. Days that a month does not have are left out; BYMONTHDAY=-1 is its last day.
   * @example FREQ=MONTHLY;BYMONTHDAY=-1
   */
  rule: string;
  /**
   * @description Local time without an offset. Occurrences have this time of day, none is earlier, and intervals and COUNT begin here. Occurrences before the creation of the schedule do not run.
   * @example 2026-01-31T18:00:00
   */
  start: string;
  /**
   * @description IANA name. A local time that clocks skip occurs as much after the change as it would be without; one that they show twice occurs the first time.
   * @example Europe/Berlin
   */
  timeZone: string;
  ifInsufficient?: IfInsufficient;
  catchUp?: CatchUp;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @enum {string} */
export type ScheduleStatus = "active" | "paused" | "ended";
/** @description A link to the next page of a search. */
export interface SearchLinks {
  self: Link;
  /** @description Present unless the search has ended. */
  next?: Link;
}
export interface SignedAmount {
  /**
   * @description A decimal amount, with a minus sign if money is returned to the available balance.
   * @example -10.50
   */
  value: string;
  /**
   * @description ISO 4217 code.
   * @example USD
   */
  currency: string;
}
export interface SignedAmountRequest {
  /**
   * @description A decimal amount, with a minus sign if money is returned to the available balance.
   * @example -10.00
   */
  value: string;
  /**
   * @description ISO 4217 code.
   * @example USD
   */
  currency: string;
}
export interface Statement {
  _links: {
    self: Link;
    customer: Link;
  };
  month: string;
  zone: string;
  /** Format: date-time */
  from: string;
  /** Format: date-time */
  before: string;
  /** @description Whether the month ended more than a minute ago. Then the statement never changes. */
  closed: boolean;
  accounts: StatementAccount[];
}
/** @description The available balance, a label, or what is owed, which has balances of zero or less: opening + totalIn − totalOut = closing. */
export interface StatementAccount {
  _links: {
    /** @description Present for a label. */
    label?: Link;
  };
  kind: StatementAccountKind;
  currency: string;
  name?: string;
  opening: SignedAmount;
  _embedded: {
    "ledger-entries": StatementEntry[];
  };
  totalIn: Amount;
  totalOut: Amount;
  closing: SignedAmount;
}
/** @enum {string} */
export type StatementAccountKind = "available" | "label" | "owed";
export interface StatementEntry {
  _links: {
    /** @description Present for an entry of a label. */
    self?: Link;
    /** @description Present for an entry of a label. */
    label?: Link;
    /** @description Present if the entry is part of a label reallocation. */
    "label-reallocation"?: Link;
    /** @description Present if the entry is part of a deposit, or of its allocation or repayment. */
    deposit?: Link;
    /** @description Present if an allocation rule moved a part of a deposit. */
    "allocation-rule"?: Link;
    /** @description Present if the entry is part of a withdrawal. */
    withdrawal?: Link;
    /** @description Present if the entry is part of the return of a deposit or a withdrawal. */
    return?: Link;
    /** @description Present if the entry changed what the customer owes. */
    "owed-entry"?: Link;
  };
  /** Format: uuid */
  id: string;
  kind: TransferKind;
  amount: SignedAmount;
  balance: SignedAmount;
  /** Format: int64 */
  sequence: number;
  /** Format: date-time */
  created: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
}
export interface TokenParameter {
  token: string;
  token_type_hint?: string;
  /** @description Application key. Required without a Basic header or a client_assertion of its own. */
  client_id?: string;
  /** @description Application secret. Required without a Basic header or a client_assertion. */
  client_secret?: string;
  /** @enum {string} */
  client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  /** @description A JWT signed with a key of the application (RFC 7523), in place of a secret. */
  client_assertion?: string;
}
export interface TokenRequest {
  /** @enum {string} */
  grant_type: "client_credentials";
  /** @description Requested scopes, separated by spaces. Default: all scopes of the application. */
  scope?: string;
  /** @description JSON (RFC 9396), for a token that can use one customer only: `[{"type": "customer", "identifiers": [URL], "actions": ["read"]}]`. */
  authorization_details?: string;
  /** @description Application key. Required without a Basic header or a client_assertion of its own. */
  client_id?: string;
  /** @description Application secret. Required without a Basic header or a client_assertion. */
  client_secret?: string;
  /** @enum {string} */
  client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  /** @description A JWT signed with a key of the application (RFC 7523), in place of a secret. */
  client_assertion?: string;
}
/** @enum {string} */
export type Topic = "customer_created" | "customer_updated" | "customer_verified" | "customer_suspended" | "customer_activated" | "customer_deactivated" | "customer_reverification_needed" | "customer_verification_document_needed" | "customer_erased" | "customer_verification_document_uploaded" | "customer_verification_document_approved" | "customer_verification_document_failed" | "customer_beneficial_owner_created" | "customer_beneficial_owner_removed" | "customer_beneficial_owner_verified" | "customer_beneficial_owner_reverification_needed" | "customer_beneficial_owner_verification_document_needed" | "customer_beneficial_owner_verification_document_uploaded" | "customer_beneficial_owner_verification_document_approved" | "customer_beneficial_owner_verification_document_failed" | "customer_label_created" | "customer_label_updated" | "customer_label_removed" | "customer_label_balance_crossed" | "customer_label_ledger_entry_created" | "customer_label_reallocation_created" | "customer_hold_created" | "customer_hold_captured" | "customer_hold_released" | "customer_hold_expired" | "customer_schedule_ran" | "customer_schedule_skipped" | "customer_schedule_failed" | "customer_deposit_created" | "customer_withdrawal_created" | "customer_deposit_returned" | "customer_withdrawal_returned" | "customer_owed_entry_created" | "account_checkpoint_created" | "account_audit_head_created";
/** @description A movement of money. `self` is the deposit, withdrawal, return or label reallocation; of a transfer between the available balance and a label (`label`, `allocation`, `recovery`), the ledger entry of the label; of a change of what the customer owes (`debt`, `repayment`), the owed entry. */
export interface Transfer {
  _links: {
    self: Link;
    customer: Link;
    /** @description Present if the money left a label. */
    from?: Link;
    /** @description Present if the money arrived at a label. */
    to?: Link;
    /** @description The schedule that made it. Of reallocations only. */
    schedule?: Link;
  };
  /** Format: uuid */
  id: string;
  kind: TransferKind;
  /** Format: date-time */
  created: string;
  amount: Amount;
  /** @description Present for a return. */
  reason?: string;
  /**
   * Format: uuid
   * @description Id of the label that the money left.
   */
  from?: string;
  /**
   * Format: uuid
   * @description Id of the label at which the money arrived.
   */
  to?: string;
  reference?: string;
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @enum {string} */
export type TransferKind = "reallocation" | "label" | "deposit" | "withdrawal" | "allocation" | "repayment" | "deposit-return" | "withdrawal-return" | "recovery" | "debt" | "reversal";
export interface TransferList {
  _links: PageLinks;
  _embedded: {
    transfers: Transfer[];
  };
  total: number;
}
/** @description A page of transfers of all customers. A page may be short, or empty, and have a next one. */
export interface TransferSearchResult {
  _links: SearchLinks;
  _embedded: {
    transfers: Transfer[];
  };
}
/** @description The transparency log of the account: what an auditor has to know. */
export interface TransparencyLog {
  /** @description The first line of each checkpoint, and the name of its keys. */
  origin: string;
  /** @description The verifier key of the checkpoints (C2SP signed-note). Store it before you need it. */
  key: string;
  /** @description Earlier keys, newest first. */
  formerKeys?: string[];
}
export interface UnverifiedCustomerRequest {
  /** @enum {string} */
  type?: "unverified";
  firstName: string;
  lastName: string;
  /** Format: email */
  email: string;
  address1?: string;
  city?: string;
  /**
   * @description Two-letter code of a US state.
   * @example CA
   */
  state?: string;
  /** @description ZIP or ZIP+4. */
  postalCode?: string;
  businessName?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  /** @description IP address of the person who filled in the form. Never returned. */
  ipAddress?: string;
}
export interface WaitingDocumentList {
  _links: PageLinks;
  _embedded: {
    documents: Document[];
  };
  total: number;
}
/** @description The delivery of an event to a subscription. The topic of a ping is `webhook_subscription_pinged`. */
export interface Webhook {
  _links: {
    self: Link;
    subscription: Link;
    /** @description Present except on a ping. */
    event?: Link;
    /** @description Present unless the subscription is paused or removed. */
    retry?: Link;
  };
  /** Format: uuid */
  id: string;
  topic: string;
  /** Format: uuid */
  accountId: string;
  /**
   * Format: uuid
   * @description Absent on a ping, which has no event.
   */
  eventId?: string;
  /** Format: uuid */
  subscriptionId: string;
  /**
   * Format: date-time
   * @description Present while an attempt is planned and the subscription is not paused.
   */
  nextAttempt?: string;
  attempts: WebhookAttempt[];
}
export interface WebhookAttempt {
  /** Format: uuid */
  id: string;
  request: {
    /** Format: date-time */
    timestamp: string;
    url: string;
    headers: WebhookHeader[];
    body: string;
  };
  response?: {
    /** Format: date-time */
    timestamp: string;
    statusCode: number;
    headers: WebhookHeader[];
    body: string;
  };
  /** @description Error message, if there was no complete response. */
  error?: string;
}
/** @description An event, as delivered to a subscription. */
export interface WebhookDelivery {
  _links: {
    self: Link;
    resource: Link;
    account: Link;
    /** @description Present unless the event is about the account itself. */
    customer?: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  topic: Topic;
  /** Format: uuid */
  resourceId: string;
  /**
   * @description The event was lost and recreated by `earmark repair events`: it comes after events of later changes.
   * @constant
   */
  late?: true;
  /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
  checkpoint?: string;
  /**
   * Format: date-time
   * @description The same as `created`.
   */
  timestamp: string;
}
export interface WebhookHeader {
  name: string;
  value: string;
}
export interface WebhookList {
  _links: PageLinks;
  _embedded: {
    webhooks: Webhook[];
  };
  total: number;
}
/** @description A test delivery without an event. */
export interface WebhookPing {
  _links: {
    resource: Link;
    account: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  created: string;
  topic: string;
  /** Format: uuid */
  resourceId: string;
  /**
   * @description The event was lost and recreated by `earmark repair events`: it comes after events of later changes.
   * @constant
   */
  late?: true;
  /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
  checkpoint?: string;
  /**
   * Format: date-time
   * @description The same as `created`.
   */
  timestamp: string;
}
/** @description A delivery attempt that was requested. */
export interface WebhookRetry {
  _links: {
    webhook: Link;
  };
  /** Format: uuid */
  id: string;
  /** Format: date-time */
  timestamp: string;
}
export interface WebhookRetryList {
  _links: {
    self: Link;
  };
  _embedded: {
    retries: WebhookRetry[];
  };
  total: number;
}
export interface WebhookSecretRequest {
  /** @description The key that signs deliveries. Never returned. `whsec_` followed by base64 (Standard Webhooks) encodes the bytes of the key; any other text is the key itself. */
  secret: string;
}
export interface WebhookSubscription {
  _links: {
    self: Link;
    webhooks: Link;
  };
  /** Format: uuid */
  id: string;
  url: string;
  /** @description Set by a request, by a 410 response, or after 400 consecutive failures and 24 hours without a success. */
  paused: boolean;
  /** Format: date-time */
  created: string;
  topics?: Topic[];
}
export interface WebhookSubscriptionChange {
  paused: boolean;
  /** @description With `paused: false`: also deliver events from while the subscription was paused. Default: skip them. */
  replay?: boolean;
}
export interface WebhookSubscriptionList {
  _links: PageLinks;
  _embedded: {
    "webhook-subscriptions": WebhookSubscription[];
  };
  total: number;
}
export interface WebhookSubscriptionRequest {
  /**
   * Format: uri
   * @description URL that receives events by POST. Must be https in production.
   */
  url: string;
  /** @description The key that signs deliveries. Never returned. `whsec_` followed by base64 (Standard Webhooks) encodes the bytes of the key; any other text is the key itself. */
  secret: string;
  /** @description Topics to deliver. Default: all topics. */
  topics?: Topic[];
}
export interface WithdrawalList {
  _links: PageLinks;
  _embedded: {
    withdrawals: Movement[];
  };
  total: number;
}
export interface WithdrawalRequest {
  /** @description Without it, the money leaves the available balance. */
  _links?: {
    from: LabelLink;
  };
  amount: AmountOrAll;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
/** @description Without `amount`, or with the value `all`, what is not returned yet. */
export interface WithdrawalReturnRequest {
  amount?: AmountOrAll;
  /**
   * @description Why the bank returned it, such as its code.
   * @example R01 insufficient funds
   */
  reason: string;
  reference?: string;
  /** @description Your identifier of the record. It does not have to be unique. */
  correlationId?: string;
  /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
  externalId?: string;
  /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
  metadata?: {
    [key: string]: string;
  };
}
export interface operations {
  getLiveness: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/json": Health;
        };
      };
    };
  };
  getReadiness: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/json": Readiness;
        };
      };
    };
  };
  getRoot: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Root;
        };
      };
    };
  };
  getAccount: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Account;
        };
      };
    };
  };
  getAccountBalance: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AccountBalance;
        };
      };
    };
  };
  listCustomers: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Part of a name, business name or email. Case, accents and kinds of apostrophes do not count. */
        search?: string;
        /** @description Exact email. Not case-sensitive. */
        email?: string;
        /** @description Status of the customers. Repeat the parameter for several statuses. */
        status?: CustomerStatus[];
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": CustomerList;
        };
      };
    };
  };
  createCustomer: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": CustomerRequest;
        "application/json": CustomerRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Customer;
        };
      };
    };
  };
  getCustomer: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Customer;
        };
      };
    };
  };
  updateCustomer: {
    /** @description A change or, while the customer is in retry or unverified, its complete data. In retry the type is optional. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": CustomerUpdate;
        "application/json": CustomerUpdate;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Customer;
        };
      };
    };
  };
  getCustomerBalance: {
    parameters: {
      query?: {
        /** @description Return the balance after everything created at or before this time. A time in the last minute is provisional: what is in progress may still be created at it. */
        at?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": CustomerBalance;
        };
      };
    };
  };
  listDeposits: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DepositList;
        };
      };
    };
  };
  createDeposit: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": DepositRequest;
        "application/json": DepositRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Movement;
        };
      };
    };
  };
  listWithdrawals: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WithdrawalList;
        };
      };
    };
  };
  createWithdrawal: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": WithdrawalRequest;
        "application/json": WithdrawalRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Movement;
        };
      };
    };
  };
  getDeposit: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Movement;
        };
      };
    };
  };
  getWithdrawal: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Movement;
        };
      };
    };
  };
  listDepositReturns: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ReturnList;
        };
      };
    };
  };
  returnDeposit: {
    /** @description Without `amount`, or with the value `all`, what is not returned yet. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": DepositReturnRequest;
        "application/json": DepositReturnRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Return;
        };
      };
    };
  };
  listWithdrawalReturns: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ReturnList;
        };
      };
    };
  };
  returnWithdrawal: {
    /** @description Without `amount`, or with the value `all`, what is not returned yet. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": WithdrawalReturnRequest;
        "application/json": WithdrawalReturnRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Return;
        };
      };
    };
  };
  getReturn: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Return;
        };
      };
    };
  };
  listOwedEntries: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": OwedEntryList;
        };
      };
    };
  };
  getOwedEntry: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": OwedEntry;
        };
      };
    };
  };
  listLabels: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelList;
        };
      };
    };
  };
  createLabel: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": LabelRequest;
        "application/json": LabelRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Label;
        };
      };
    };
  };
  getLabel: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Label;
        };
      };
    };
  };
  updateLabel: {
    /** @description At least one of them. Pairs that are not in `metadata` are dropped. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": LabelChange;
        "application/json": LabelChange;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Label;
        };
      };
    };
  };
  removeLabel: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Label;
        };
      };
    };
  };
  getLabelBalance: {
    parameters: {
      query?: {
        /** @description Return the balance after everything created at or before this time. A time in the last minute is provisional: what is in progress may still be created at it. */
        at?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelBalance;
        };
      };
    };
  };
  listLedgerEntries: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LedgerEntryList;
        };
      };
    };
  };
  createLedgerEntry: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": LedgerEntryRequest;
        "application/json": LedgerEntryRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": LedgerEntry;
        };
      };
    };
  };
  getLedgerEntry: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LedgerEntry;
        };
      };
    };
  };
  createLabelReallocation: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": LabelReallocationRequest;
        "application/json": LabelReallocationRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocation;
        };
      };
    };
  };
  getLabelReallocation: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocation;
        };
      };
    };
  };
  listLabelReallocations: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationList;
        };
      };
    };
  };
  listReversals: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationList;
        };
      };
    };
  };
  createReversal: {
    /** @description Without `amount`, what is not reversed yet. */
    requestBody?: {
      content: {
        "application/vnd.earmark.v1.hal+json": ReversalRequest;
        "application/json": ReversalRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocation;
        };
      };
    };
  };
  listHolds: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Only holds that have this status now. */
        status?: "pending" | "captured" | "released" | "expired";
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": HoldList;
        };
      };
    };
  };
  createHold: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": HoldRequest;
        "application/json": HoldRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Hold;
        };
      };
    };
  };
  getHold: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Hold;
        };
      };
    };
  };
  captureHold: {
    /** @description Without `amount`, all that the hold has left. */
    requestBody?: {
      content: {
        "application/vnd.earmark.v1.hal+json": CaptureRequest;
        "application/json": CaptureRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Hold;
        };
      };
    };
  };
  releaseHold: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Hold;
        };
      };
    };
  };
  listSchedules: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Only schedules with this status. */
        status?: "active" | "paused" | "ended";
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ScheduleList;
        };
      };
    };
  };
  createSchedule: {
    /** @description Each reallocation has the reference, the correlation id and the metadata of the schedule. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": ScheduleRequest;
        "application/json": ScheduleRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Schedule;
        };
      };
    };
  };
  getSchedule: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Schedule;
        };
      };
    };
  };
  updateSchedule: {
    /** @description At least one member. A new rule goes on after the last occurrence. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": ScheduleChange;
        "application/json": ScheduleChange;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Schedule;
        };
      };
    };
  };
  removeSchedule: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Schedule;
        };
      };
    };
  };
  listScheduleOccurrences: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description 31 days ago by default. */
        from?: string;
        /** @description Included. At most 366 days after from, which is the default. */
        to?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ScheduleOccurrenceList;
        };
      };
    };
  };
  listTransfers: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
        externalId?: string;
        /** @description Pairs of the metadata, each as metadata[key]=value: 1 to 3, which must all be there. */
        metadata?: {
          [key: string]: string;
        };
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": TransferList;
        };
      };
    };
  };
  searchTransfers: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Only what was created at this time or later. */
        createdFrom?: string;
        /** @description Only what was created before this time. */
        createdBefore?: string;
        /** @description Id of a transfer, or of one of its ledger entries. */
        id?: string;
        /** @description Exact reference. */
        reference?: string;
        /** @description Your identifier of the record. It does not have to be unique. */
        correlationId?: string;
        /** @description Exact amount, with `currency`. Combine it with a day. */
        amount?: string;
        /**
         * @description ISO 4217 code of `amount`.
         * @example USD
         */
        currency?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": TransferSearchResult;
        };
      };
    };
  };
  getStatement: {
    parameters: {
      query?: {
        /** @description Only this currency. */
        currency?: string;
        /** @description Only the label with this id. */
        label?: string;
        /**
         * @description The IANA time zone of the month. Default: UTC.
         * @example Europe/Berlin
         */
        zone?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Statement;
          "text/csv": string;
          "application/pdf": string;
        };
      };
    };
  };
  listAllocationRules: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRuleList;
        };
      };
    };
  };
  createAllocationRule: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": AllocationRuleRequest;
        "application/json": AllocationRuleRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRule;
        };
      };
    };
  };
  previewAllocation: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": AllocationPreviewRequest;
        "application/json": AllocationPreviewRequest;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationPreview;
        };
      };
    };
  };
  getAllocationRule: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRule;
        };
      };
    };
  };
  updateAllocationRule: {
    /** @description Either name and steps, which replace those of the rule, or paused. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": AllocationRuleChange;
        "application/json": AllocationRuleChange;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRule;
        };
      };
    };
  };
  removeAllocationRule: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRule;
        };
      };
    };
  };
  listMonitors: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": MonitorList;
        };
      };
    };
  };
  createMonitor: {
    /** @description Either below or above, in the currency of the label: a crossing is when the amount becomes less than below, or more than above. After a crossing, the next one is reported once the amount was at least rearm (with below) or at most rearm (with above), by default the threshold. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": MonitorRequest;
        "application/json": MonitorRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Monitor;
        };
      };
    };
  };
  getMonitor: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Monitor;
        };
      };
    };
  };
  removeMonitor: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Monitor;
        };
      };
    };
  };
  createLabelReallocationBatch: {
    /** @description `items`, `withdrawals` or both; together at most 1000. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": LabelReallocationBatchRequest;
        "application/json": LabelReallocationBatchRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationBatch;
        };
      };
    };
  };
  getLabelReallocationBatch: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationBatch;
        };
      };
    };
  };
  listBeneficialOwners: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwnerList;
        };
      };
    };
  };
  createBeneficialOwner: {
    /** @description A person who owns a part of the business. Requires ssn or passport. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": BeneficialOwnerRequest;
        "application/json": BeneficialOwnerRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  getBeneficialOwner: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  updateBeneficialOwner: {
    /** @description The members to replace. An address is replaced completely. An ssn replaces a passport and a passport replaces an ssn, unless both are given. */
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": BeneficialOwnerChange;
        "application/json": BeneficialOwnerChange;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  removeBeneficialOwner: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  getBeneficialOwnership: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwnership;
        };
      };
    };
  };
  certifyBeneficialOwnership: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": CertificationRequest;
        "application/json": CertificationRequest;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwnership;
        };
      };
    };
  };
  listBeneficialOwnerDocuments: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentList;
        };
      };
    };
  };
  submitBeneficialOwnerDocument: {
    requestBody: {
      content: {
        "multipart/form-data": DocumentUpload;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Document;
        };
      };
    };
  };
  listCustomerDocuments: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentList;
        };
      };
    };
  };
  submitCustomerDocument: {
    requestBody: {
      content: {
        "multipart/form-data": DocumentUpload;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Document;
        };
      };
    };
  };
  getDocument: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Document;
        };
      };
    };
  };
  listDocumentReviews: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ReviewList;
        };
      };
    };
  };
  reviewDocument: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": ReviewRequest;
        "application/json": ReviewRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Review;
        };
      };
    };
  };
  getReview: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Review;
        };
      };
    };
  };
  listWaitingDocuments: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description `pending`: documents that wait for a first or a second reviewer. */
        status?: "pending";
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WaitingDocumentList;
        };
      };
    };
  };
  getDocumentClaim: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentClaim;
        };
      };
    };
  };
  claimDocument: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentClaim;
        };
      };
    };
  };
  releaseDocument: {
    requestBody?: never;
    responses: never;
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description `newest` or `oldest` first. Default: `oldest` with `after`, else `newest`. */
        order?: "newest" | "oldest";
        /** @description Events of this topic. */
        topic?: Topic;
        /** @description Events about this resource. */
        resourceId?: string;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": EventList;
        };
      };
    };
  };
  getEvent: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Event;
        };
      };
    };
  };
  getCheckpoint: {
    parameters: {
      query?: {
        /** @description The newest checkpoint that enough of the witnesses (`LOG_WITNESSES`) have cosigned. 404 as long as there is none. */
        witnessed?: "true";
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  getReceipt: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Receipt;
        };
      };
    };
  };
  listWebhookSubscriptions: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscriptionList;
        };
      };
    };
  };
  createWebhookSubscription: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": WebhookSubscriptionRequest;
        "application/json": WebhookSubscriptionRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscription;
        };
      };
    };
  };
  getWebhookSubscription: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscription;
        };
      };
    };
  };
  updateWebhookSubscription: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": WebhookSubscriptionChange;
        "application/json": WebhookSubscriptionChange;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscription;
        };
      };
    };
  };
  removeWebhookSubscription: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscription;
        };
      };
    };
  };
  rotateWebhookSecret: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": WebhookSecretRequest;
        "application/json": WebhookSecretRequest;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookSubscription;
        };
      };
    };
  };
  pingWebhookSubscription: {
    requestBody?: never;
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Webhook;
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** @description Maximum number of elements on a page. */
        limit?: number;
        /** @description Number of elements to skip. */
        offset?: number;
        /** @description Return the elements after the one with this id. */
        after?: string;
        /** @description Webhooks of events from this date or time on. */
        startDate?: string;
        /** @description Webhooks of events up to and including this date or time. */
        endDate?: string;
        /** @description Webhooks of events about this resource. */
        resourceId?: string;
        /** @description `pending`: not attempted yet; `failed`: the last attempt failed. */
        status?: "delivered" | "pending" | "failed";
      };
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookList;
        };
      };
    };
  };
  getWebhook: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Webhook;
        };
      };
    };
  };
  listWebhookRetries: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookRetryList;
        };
      };
    };
  };
  retryWebhook: {
    requestBody?: never;
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Webhook;
        };
      };
    };
  };
  getMetrics: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  createToken: {
    requestBody: {
      content: {
        "application/x-www-form-urlencoded": TokenRequest;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": AccessToken;
        };
      };
    };
  };
  revokeToken: {
    requestBody: {
      content: {
        "application/x-www-form-urlencoded": TokenParameter;
      };
    };
    responses: {
      200: {
        content?: never;
      };
    };
  };
  introspectToken: {
    requestBody: {
      content: {
        "application/x-www-form-urlencoded": TokenParameter;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": Introspection;
        };
      };
    };
  };
  getAuthorizationServer: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/json": AuthorizationServer;
        };
      };
    };
  };
  getJwks: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/json": JwkSet;
        };
      };
    };
  };
  getClock: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AccountClock;
        };
      };
    };
  };
  advanceClock: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": ClockAdvance;
        "application/json": ClockAdvance;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AccountClock;
        };
      };
    };
  };
  resetAccount: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AccountReset;
        };
      };
    };
  };
  listFaults: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFaultList;
        };
      };
    };
  };
  planFault: {
    requestBody: {
      content: {
        "application/vnd.earmark.v1.hal+json": FaultRequest;
        "application/json": FaultRequest;
      };
    };
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFault;
        };
      };
    };
  };
  getFault: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFault;
        };
      };
    };
  };
  removeFault: {
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFault;
        };
      };
    };
  };
}
