// The types of the interface, made of openapi.json by `npm run openapi`. Changes by hand are lost.

export interface paths {
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
  "/token": {
    post: operations["createToken"];
  };
  "/token/revoke": {
    post: operations["revokeToken"];
  };
  "/token/introspect": {
    post: operations["introspectToken"];
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
  access_token: string;
  token_type: "Bearer" | "DPoP";
  expires_in: number;
  scope: string;
  authorization_details?: {
    type: "customer";
    identifiers: string[];
    actions: ("read" | "write")[];
  }[];
}
export interface Account {
  _links: {
    self: Link;
    customers: Link;
  };
  id: string;
  name: string;
  created: string;
  log: TransparencyLog;
}
export interface AccountBalance {
  _links: {
    self: Link;
    account: Link;
  };
  at: string;
  balances: AccountCurrencyBalance[];
}
export interface AccountClock {
  _links: {
    self: Link;
  };
  now: string;
  aheadSeconds: number;
}
export interface AccountCurrencyBalance {
  currency: string;
  total: Amount;
  available: Amount;
  labelled: Amount;
  owed?: Amount;
  customers: number;
}
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
    edit?: Link;
    remove?: Link;
  };
  id: string;
  name: string;
  currency: string;
  steps: AllocationStep[];
  paused: boolean;
  created: string;
  deleted?: string;
}
export interface AllocationRuleChange {
  name?: string;
  steps?: AllocationStepRequest[];
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
export interface AllocationStepRequest {
  label: LabelLink;
  percent?: string;
  amount?: AmountRequest;
  until?: AmountRequest;
}
export interface Allocations {
  allocations: Allocation[];
}
export interface Amount {
  value: string;
  currency: string;
}
export interface AmountOrAll {
  value: string;
  currency: string;
}
export interface AmountRequest {
  value: string;
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
  correlationId?: string;
  externalId?: string;
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
  correlationId?: string;
  externalId?: string;
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
    "verify-with-document"?: Link;
    edit?: Link;
    retry?: Link;
    remove?: Link;
  };
  id: string;
  firstName: string;
  lastName: string;
  address: BeneficialOwnerAddress;
  verificationStatus: BeneficialOwnerStatus;
  created: string;
}
export interface BeneficialOwnerAddress {
  address1: string;
  address2?: string;
  address3?: string;
  city: string;
  stateProvinceRegion: string;
  country: string;
  postalCode: string;
}
export interface BeneficialOwnerChange {
  firstName?: string;
  lastName?: string;
  dateOfBirth?: string;
  address?: BeneficialOwnerAddress;
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
export interface BeneficialOwnerRequest {
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  address: BeneficialOwnerAddress;
  ssn?: string;
  passport?: Passport;
}
export type BeneficialOwnerStatus = "verified" | "document" | "incomplete";
export interface BeneficialOwnership {
  _links: {
    self: Link;
    customer: Link;
    "beneficial-owners": Link;
    certify?: Link;
  };
  status: "uncertified" | "certified" | "recertify";
}
export type BusinessCustomerRequest = {
  type: "business";
  firstName: string;
  lastName: string;
  email: string;
  address1: string;
  city: string;
  state: string;
  postalCode: string;
  dateOfBirth?: string;
  ssn?: string;
  businessName: string;
  businessType: "soleProprietorship" | "corporation" | "llc" | "partnership";
  businessClassification: string;
  ein?: string;
  controller?: ControllerRequest;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  ipAddress?: string;
} & (unknown & unknown);
export interface Capture {
  _links: {
    transfer: Link;
  };
  amount: Amount;
  created: string;
}
export interface CaptureRequest {
  _links?: {
    to: LabelLink;
  };
  amount?: AmountOrAll;
  final?: boolean;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface Captures {
  captures: Capture[];
}
export type CatchUp = "each" | "last" | "none";
export interface CertificationRequest {
  status: "certified";
}
export interface Claimant {
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
export interface ControllerRequest {
  title: string;
  firstName: string;
  lastName: string;
  dateOfBirth: string;
  address: Address;
  ssn?: string;
  passport?: Passport;
}
export interface Crossing {
  _links: {
    "ledger-entry": Link;
  };
  created: string;
  balance: Amount;
}
export interface Customer {
  _links: {
    self: Link;
    balance: Link;
    labels?: Link;
    "beneficial-owners"?: Link;
    "beneficial-ownership"?: Link;
    documents?: Link;
    edit?: Link;
    suspend?: Link;
    deactivate?: Link;
    reactivate?: Link;
    "retry-verification"?: Link;
    "verify-with-document"?: Link;
    "certify-beneficial-ownership"?: Link;
    "create-label"?: Link;
    deposit?: Link;
    withdraw?: Link;
  };
  id: string;
  firstName: string;
  lastName: string;
  email: string;
  type: CustomerType;
  status: CustomerStatus;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
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
export interface CustomerBalance {
  _links: {
    self: Link;
    customer: Link;
    "owed-entries": Link;
  };
  at?: string;
  balances: Balance[];
}
export interface CustomerChange {
  status?: "suspended" | "deactivated" | "reactivated";
  email?: string;
  phone?: string;
  address1?: string;
  city?: string;
  state?: string;
  postalCode?: string;
  address2?: string;
  doingBusinessAs?: string;
  website?: string;
  firstName?: string;
  lastName?: string;
  businessName?: string;
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
export type CustomerStatus = "verified" | "retry" | "document" | "suspended" | "deactivated" | "unverified";
export type CustomerType = "personal" | "business" | "unverified";
export type CustomerUpdate = CustomerChange | PersonalCustomerRequest | BusinessCustomerRequest;
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
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface DepositReturnRequest {
  amount?: AmountOrAll;
  reason: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  shortfall?: "refuse" | "owe";
}
export interface Document {
  _links: {
    self: Link;
    owner?: Link;
    customer?: Link;
    reviews: Link;
  };
  id: string;
  status: "pending" | "reviewed";
  type: DocumentType;
  created: string;
  documentVerificationStatus: "pending" | "accepted" | "rejected";
  failureReason?: FailureReason;
  allFailureReasons?: DocumentFailure[];
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
export type DocumentType = "passport" | "license" | "idCard" | "other";
export interface DocumentUpload {
  documentType: DocumentType;
  file?: string;
  sod?: string;
  dg1?: string;
  dg2?: string;
  dg11?: string;
  dg14?: string;
}
export interface Event {
  _links: {
    self: Link;
    resource: Link;
    account: Link;
    customer?: Link;
  };
  id: string;
  created: string;
  topic: Topic;
  resourceId: string;
  late?: true;
  checkpoint?: string;
}
export interface EventList {
  _links: PageLinks;
  _embedded: {
    events: Event[];
  };
  total: number;
}
export interface Evidence {
  level: "none" | "text" | "document" | "chip";
  parts: EvidencePart[];
  hints?: EvidenceHint[];
}
export interface EvidenceHint {
  name: "screen" | "greyCopy" | "editor";
  text: string;
}
export interface EvidencePart {
  name: "data" | "outline" | "portrait" | "printedText" | "consistency" | "dataGroups" | "signature" | "issuer" | "validity" | "revocation" | "algorithms";
  result: "holds" | "fails" | "unknown";
  text: string;
}
export type FailureReason = "ScanNotUploaded" | "ScanIdTypeNotSupported" | "ScanNotReadable" | "ScanIdUnrecognized" | "ScanDobMismatch" | "ScanNameMismatch" | "ScanIdExpired" | "ScanFailedOther" | "BusinessDocNotSupported" | "BusinessNameMismatch" | "BusinessTypeMismatch" | "ForeignPassportNotAllowed";
export interface Fault {
  code: "Required" | "Invalid" | "InvalidFormat" | "Duplicate" | "NotAllowed" | "InsufficientFunds" | "ReadOnly";
  message: string;
  path: string;
  _links: Record<string, never>;
}
export interface FaultRequest {
  operation: string;
  status?: number;
  cut?: boolean;
  delayMs?: number;
  effect?: boolean;
  times?: number;
}
export interface Health {
  status: "ok";
}
export interface Hold {
  _links: {
    self: Link;
    customer: Link;
    from?: Link;
    capture?: Link;
    release?: Link;
  };
  id: string;
  created: string;
  status: HoldStatus;
  amount: Amount;
  captured: Amount;
  remaining: Amount;
  expires: string;
  closed?: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
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
  _links?: {
    from: LabelLink;
  };
  amount: AmountRequest;
  expires?: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export type HoldStatus = "pending" | "captured" | "released" | "expired";
export type IfInsufficient = "skip" | "partial" | "fail";
export interface Introspection {
  active: boolean;
  token_type?: "Bearer" | "DPoP";
  scope?: string;
  client_id?: string;
  account_id?: string;
  sub?: string;
  aud?: string;
  iss?: string;
  jti?: string;
  iat?: number;
  exp?: number;
  authorization_details?: {
    type: "customer";
    identifiers: string[];
    actions: ("read" | "write")[];
  }[];
  cnf?: {
    jkt?: string;
    "x5t#S256"?: string;
  };
}
export interface Jwk {
  kty: "OKP";
  crv: string;
  x: string;
  kid: string;
  use: "sig";
  alg: "EdDSA";
}
export interface JwkSet {
  keys: Jwk[];
}
export interface Label {
  _links: {
    self: Link;
    "ledger-entries": Link;
    customer: Link;
    update?: Link;
    remove?: Link;
  };
  id: string;
  created: string;
  amount: Amount;
  held?: Amount;
  available?: Amount;
  name?: string;
  correlationId?: string;
  externalId?: string;
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
  sequence: number;
  at?: string;
}
export interface LabelChange {
  name?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface LabelLink {
  href: string;
  type?: string;
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
    hold?: Link;
    schedule?: Link;
    reversals?: Link;
    reverse?: Link;
    reverses?: Link;
  };
  id: string;
  created: string;
  amount: Amount;
  reversed?: Amount;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  signature?: RequestSignature;
}
export interface LabelReallocationBatch {
  _links: {
    self: Link;
  };
  id: string;
  mode: "atomic" | "independent";
  created: string;
  total: number;
  succeeded: number;
  refused: number;
  _embedded: {
    results: BatchResult[];
    withdrawals?: BatchWithdrawalResult[];
  };
}
export interface LabelReallocationBatchRequest {
  mode: "atomic" | "independent";
  items?: BatchItem[];
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
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface LabelRequest {
  amount: AmountRequest;
  name?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface LastOccurrence {
  _links: {
    "label-reallocation"?: Link;
  };
  at: string;
  status: DecidedStatus;
  reason?: OccurrenceReason;
  amount?: Amount;
}
export interface LedgerEntry {
  _links: {
    self: Link;
    label: Link;
    "label-reallocation"?: Link;
    deposit?: Link;
    "allocation-rule"?: Link;
    return?: Link;
  };
  id: string;
  amount: SignedAmount;
  balance: Amount;
  sequence: number;
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
export interface Link {
  href: string;
  type: string;
  "resource-type": string;
}
export interface MadeItem {
  index: number;
  _links: {
    "label-reallocation": Link;
  };
}
export interface MadeWithdrawal {
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
    remove?: Link;
  };
  id: string;
  below?: Amount;
  above?: Amount;
  rearm: Amount;
  state: "armed" | "crossed";
  lastCrossing?: Crossing;
  created: string;
  deleted?: string;
}
export interface MonitorList {
  _links: PageLinks;
  _embedded: {
    monitors: Monitor[];
  };
  total: number;
}
export interface MonitorRequest {
  below?: AmountRequest;
  above?: AmountRequest;
  rearm?: AmountRequest;
}
export interface Movement {
  _links: {
    self: Link;
    customer: Link;
    from?: Link;
    hold?: Link;
    "allocation-rule"?: Link;
    "owed-entry"?: Link;
    returns: Link;
    return?: Link;
  };
  id: string;
  created: string;
  amount: Amount;
  returned: Amount;
  repaid?: Amount;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  _embedded?: Allocations;
}
export interface OAuthError {
  error: "invalid_client" | "invalid_request" | "unsupported_grant_type" | "invalid_scope" | "invalid_authorization_details" | "invalid_dpop_proof" | "use_dpop_nonce";
  error_description: string;
  code: "InvalidClient" | "InvalidRequest" | "UnsupportedGrantType" | "InvalidScope" | "InvalidAuthorizationDetails" | "InvalidDpopProof" | "UseDpopNonce";
  message: string;
}
export type OccurrenceReason = "InsufficientFunds" | "NothingToMove" | "Missed" | "CustomerNotVerified" | "LabelRemoved" | "BalanceLimit";
export type OccurrenceStatus = "planned" | "due" | "ran" | "skipped" | "failed";
export interface OwedEntry {
  _links: {
    self: Link;
    customer: Link;
    return?: Link;
    deposit?: Link;
  };
  id: string;
  kind: OwedEntryKind;
  created: string;
  amount: Amount;
}
export type OwedEntryKind = "debt" | "repayment";
export interface OwedEntryList {
  _links: PageLinks;
  _embedded: {
    "owed-entries": OwedEntry[];
  };
  total: number;
}
export interface PageLinks {
  self: Link;
  first: Link;
  last: Link;
  next?: Link;
  prev?: Link;
}
export interface Passport {
  number: string;
  country: string;
}
export interface PersonalCustomerRequest {
  type: "personal";
  firstName: string;
  lastName: string;
  email: string;
  address1: string;
  city: string;
  state: string;
  postalCode: string;
  dateOfBirth: string;
  ssn: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  ipAddress?: string;
}
export interface PlannedFault {
  _links: {
    self: Link;
  };
  id: string;
  created: string;
  operation: string;
  status?: number;
  cut?: boolean;
  delayMs?: number;
  effect?: boolean;
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
export interface Problem {
  code: ProblemCode;
  message: string;
  _links?: {
    about?: Link;
  };
  _embedded?: {
    errors: Fault[];
  };
}
export type ProblemCode = "BadRequest" | "ValidationError" | "MaxNumberOfResources" | "DuplicateResource" | "InvalidFileType" | "BadFile" | "InvalidAccessToken" | "ExpiredAccessToken" | "Forbidden" | "InvalidResourceState" | "NotFound" | "MethodNotAllowed" | "InvalidVersion" | "RequestTimeout" | "Conflict" | "FileTooLarge" | "RequestTooLarge" | "UnsupportedRequestContentType" | "TooManyRequests" | "ServerError" | "ServiceUnavailable";
export interface Readiness {
  status: "ok" | "degraded";
  away?: ("coordinator" | "workers")[];
  ledgerCheck?: {
    moneyAge?: number;
    everyRuleAge?: number;
    failing?: true;
  };
}
export interface Receipt {
  _links: {
    self: Link;
    "label-reallocation": Link;
  };
  entry: string;
  index: number;
  checkpoint: string;
  proof: string[];
}
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
  index: number;
  code: string;
  message: string;
  path: string;
}
export interface RequestSignature {
  applicationId: string;
  keyId: string;
  thumbprint: string;
  publicKey: {
    [key: string]: unknown;
  };
  algorithm: string;
  signed: string;
  base: string;
  signature: string;
  content?: string;
  valid: boolean;
}
export interface Return {
  _links: {
    self: Link;
    customer: Link;
    deposit?: Link;
    withdrawal?: Link;
    to?: Link;
    "owed-entry"?: Link;
  };
  id: string;
  created: string;
  amount: Amount;
  reason: string;
  owed?: Amount;
  reference?: string;
  correlationId?: string;
  externalId?: string;
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
export interface ReversalRequest {
  amount?: AmountRequest;
  mode?: "exact" | "available";
  reference?: string;
}
export interface Review {
  _links: {
    self: Link;
    document: Link;
  };
  id: string;
  created: string;
  reviewer: Reviewer;
  decision: "accepted" | "rejected" | "undecided";
  reasons: FailureReason[];
  note?: string;
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
  decision: "accepted" | "rejected";
  reasons?: FailureReason[];
  note?: string;
}
export type Reviewer = {
  kind: "application";
  id: string;
} | {
  kind: "person";
  name: string;
  place: string;
  id?: string;
} | {
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
    edit?: Link;
    remove?: Link;
  };
  id: string;
  created: string;
  status: ScheduleStatus;
  amount: ScheduleAmount;
  rule: string;
  start: string;
  timeZone: string;
  ifInsufficient: IfInsufficient;
  catchUp: CatchUp;
  next?: string;
  lastOccurrence?: LastOccurrence;
  ended?: string;
  endReason?: ScheduleEndReason;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface ScheduleAmount {
  value?: string;
  above?: string;
  upTo?: string;
  currency?: string;
}
export interface ScheduleChange {
  amount?: ScheduleAmount;
  rule?: string;
  start?: string;
  timeZone?: string;
  ifInsufficient?: IfInsufficient;
  catchUp?: CatchUp;
  paused?: boolean;
  reference?: string;
  metadata?: {
    [key: string]: string;
  };
}
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
    "label-reallocation"?: Link;
  };
  id: string;
  at: string;
  status: OccurrenceStatus;
  reason?: OccurrenceReason;
  amount?: Amount;
  decided?: string;
}
export interface ScheduleOccurrenceList {
  _links: PageLinks;
  _embedded: {
    "schedule-occurrences": ScheduleOccurrence[];
  };
  total: number;
}
export interface ScheduleRequest {
  _links: {
    from: LabelLink;
    to: LabelLink;
  };
  amount: ScheduleAmount;
  rule: string;
  start: string;
  timeZone: string;
  ifInsufficient?: IfInsufficient;
  catchUp?: CatchUp;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export type ScheduleStatus = "active" | "paused" | "ended";
export interface SearchLinks {
  self: Link;
  next?: Link;
}
export interface SignedAmount {
  value: string;
  currency: string;
}
export interface SignedAmountRequest {
  value: string;
  currency: string;
}
export interface Statement {
  _links: {
    self: Link;
    customer: Link;
  };
  month: string;
  zone: string;
  from: string;
  before: string;
  closed: boolean;
  accounts: StatementAccount[];
}
export interface StatementAccount {
  _links: {
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
export type StatementAccountKind = "available" | "label" | "owed";
export interface StatementEntry {
  _links: {
    self?: Link;
    label?: Link;
    "label-reallocation"?: Link;
    deposit?: Link;
    "allocation-rule"?: Link;
    withdrawal?: Link;
    return?: Link;
    "owed-entry"?: Link;
  };
  id: string;
  kind: TransferKind;
  amount: SignedAmount;
  balance: SignedAmount;
  sequence: number;
  created: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
}
export interface TokenParameter {
  token: string;
  token_type_hint?: string;
  client_id?: string;
  client_secret?: string;
  client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  client_assertion?: string;
}
export interface TokenRequest {
  grant_type: "client_credentials";
  scope?: string;
  authorization_details?: string;
  client_id?: string;
  client_secret?: string;
  client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  client_assertion?: string;
}
export type Topic = "customer_created" | "customer_updated" | "customer_verified" | "customer_suspended" | "customer_activated" | "customer_deactivated" | "customer_reverification_needed" | "customer_verification_document_needed" | "customer_erased" | "customer_verification_document_uploaded" | "customer_verification_document_approved" | "customer_verification_document_failed" | "customer_beneficial_owner_created" | "customer_beneficial_owner_removed" | "customer_beneficial_owner_verified" | "customer_beneficial_owner_reverification_needed" | "customer_beneficial_owner_verification_document_needed" | "customer_beneficial_owner_verification_document_uploaded" | "customer_beneficial_owner_verification_document_approved" | "customer_beneficial_owner_verification_document_failed" | "customer_label_created" | "customer_label_updated" | "customer_label_removed" | "customer_label_balance_crossed" | "customer_label_ledger_entry_created" | "customer_label_reallocation_created" | "customer_hold_created" | "customer_hold_captured" | "customer_hold_released" | "customer_hold_expired" | "customer_schedule_ran" | "customer_schedule_skipped" | "customer_schedule_failed" | "customer_deposit_created" | "customer_withdrawal_created" | "customer_deposit_returned" | "customer_withdrawal_returned" | "customer_owed_entry_created" | "account_checkpoint_created" | "account_audit_head_created";
export interface Transfer {
  _links: {
    self: Link;
    customer: Link;
    from?: Link;
    to?: Link;
    schedule?: Link;
  };
  id: string;
  kind: TransferKind;
  created: string;
  amount: Amount;
  reason?: string;
  from?: string;
  to?: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export type TransferKind = "reallocation" | "label" | "deposit" | "withdrawal" | "allocation" | "repayment" | "deposit-return" | "withdrawal-return" | "recovery" | "debt" | "reversal";
export interface TransferList {
  _links: PageLinks;
  _embedded: {
    transfers: Transfer[];
  };
  total: number;
}
export interface TransferSearchResult {
  _links: SearchLinks;
  _embedded: {
    transfers: Transfer[];
  };
}
export interface TransparencyLog {
  origin: string;
  key: string;
  formerKeys?: string[];
}
export interface UnverifiedCustomerRequest {
  type?: "unverified";
  firstName: string;
  lastName: string;
  email: string;
  address1?: string;
  city?: string;
  state?: string;
  postalCode?: string;
  businessName?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
  address2?: string;
  phone?: string;
  doingBusinessAs?: string;
  website?: string;
  ipAddress?: string;
}
export interface WaitingDocumentList {
  _links: PageLinks;
  _embedded: {
    documents: Document[];
  };
  total: number;
}
export interface Webhook {
  _links: {
    self: Link;
    subscription: Link;
    event?: Link;
    retry?: Link;
  };
  id: string;
  topic: string;
  accountId: string;
  eventId?: string;
  subscriptionId: string;
  nextAttempt?: string;
  attempts: WebhookAttempt[];
}
export interface WebhookAttempt {
  id: string;
  request: {
    timestamp: string;
    url: string;
    headers: WebhookHeader[];
    body: string;
  };
  response?: {
    timestamp: string;
    statusCode: number;
    headers: WebhookHeader[];
    body: string;
  };
  error?: string;
}
export interface WebhookDelivery {
  _links: {
    self: Link;
    resource: Link;
    account: Link;
    customer?: Link;
  };
  id: string;
  created: string;
  topic: Topic;
  resourceId: string;
  late?: true;
  checkpoint?: string;
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
export interface WebhookPing {
  _links: {
    resource: Link;
    account: Link;
  };
  id: string;
  created: string;
  topic: string;
  resourceId: string;
  late?: true;
  checkpoint?: string;
  timestamp: string;
}
export interface WebhookRetry {
  _links: {
    webhook: Link;
  };
  id: string;
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
  secret: string;
}
export interface WebhookSubscription {
  _links: {
    self: Link;
    webhooks: Link;
  };
  id: string;
  url: string;
  paused: boolean;
  created: string;
  topics?: Topic[];
  publicKeys: string[];
}
export interface WebhookSubscriptionChange {
  paused: boolean;
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
  url: string;
  secret: string;
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
  _links?: {
    from: LabelLink;
  };
  amount: AmountOrAll;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface WithdrawalReturnRequest {
  amount?: AmountOrAll;
  reason: string;
  reference?: string;
  correlationId?: string;
  externalId?: string;
  metadata?: {
    [key: string]: string;
  };
}
export interface operations {
  getRoot: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Root;
        };
      };
    };
  };
  getAccount: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Account;
        };
      };
    };
  };
  getAccountBalance: {
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
        limit?: number;
        offset?: number;
        search?: string;
        email?: string;
        status?: CustomerStatus[];
        correlationId?: string;
        externalId?: string;
      };
    };
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Customer;
        };
      };
    };
  };
  updateCustomer: {
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
        at?: string;
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        reference?: string;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        reference?: string;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Movement;
        };
      };
    };
  };
  getWithdrawal: {
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
        limit?: number;
        offset?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ReturnList;
        };
      };
    };
  };
  returnDeposit: {
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
        limit?: number;
        offset?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ReturnList;
        };
      };
    };
  };
  returnWithdrawal: {
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        reference?: string;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": OwedEntryList;
        };
      };
    };
  };
  getOwedEntry: {
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
        limit?: number;
        offset?: number;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Label;
        };
      };
    };
  };
  updateLabel: {
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
        at?: string;
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        reference?: string;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
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
        limit?: number;
        offset?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationList;
        };
      };
    };
  };
  createReversal: {
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
        limit?: number;
        offset?: number;
        status?: "pending" | "captured" | "released" | "expired";
        externalId?: string;
      };
    };
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Hold;
        };
      };
    };
  };
  captureHold: {
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
        limit?: number;
        offset?: number;
        status?: "active" | "paused" | "ended";
        externalId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": ScheduleList;
        };
      };
    };
  };
  createSchedule: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Schedule;
        };
      };
    };
  };
  updateSchedule: {
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
        limit?: number;
        offset?: number;
        from?: string;
        to?: string;
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        reference?: string;
        correlationId?: string;
        externalId?: string;
        metadata?: {
          [key: string]: string;
        };
      };
    };
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
        limit?: number;
        after?: string;
        createdFrom?: string;
        createdBefore?: string;
        id?: string;
        reference?: string;
        correlationId?: string;
        amount?: string;
        currency?: string;
      };
    };
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
        currency?: string;
        label?: string;
        zone?: string;
      };
    };
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
        limit?: number;
        offset?: number;
      };
    };
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AllocationRule;
        };
      };
    };
  };
  updateAllocationRule: {
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
        limit?: number;
        offset?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": MonitorList;
        };
      };
    };
  };
  createMonitor: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Monitor;
        };
      };
    };
  };
  removeMonitor: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Monitor;
        };
      };
    };
  };
  createLabelReallocationBatch: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": LabelReallocationBatch;
        };
      };
    };
  };
  listBeneficialOwners: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwnerList;
        };
      };
    };
  };
  createBeneficialOwner: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  updateBeneficialOwner: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": BeneficialOwner;
        };
      };
    };
  };
  getBeneficialOwnership: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Document;
        };
      };
    };
  };
  listDocumentReviews: {
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
        limit?: number;
        offset?: number;
        after?: string;
        status?: "pending";
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WaitingDocumentList;
        };
      };
    };
  };
  getDocumentClaim: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentClaim;
        };
      };
    };
  };
  claimDocument: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": DocumentClaim;
        };
      };
    };
  };
  releaseDocument: {
    responses: never;
  };
  listEvents: {
    parameters: {
      query?: {
        limit?: number;
        offset?: number;
        after?: string;
        order?: "newest" | "oldest";
        topic?: Topic;
        resourceId?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": EventList;
        };
      };
    };
  };
  getEvent: {
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
        witnessed?: "true";
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  getReceipt: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Receipt;
          "text/plain": string;
        };
      };
    };
  };
  listWebhookSubscriptions: {
    parameters: {
      query?: {
        limit?: number;
        offset?: number;
      };
    };
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
        limit?: number;
        offset?: number;
        after?: string;
        startDate?: string;
        endDate?: string;
        resourceId?: string;
        status?: "delivered" | "pending" | "failed";
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookList;
        };
      };
    };
  };
  getWebhook: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": Webhook;
        };
      };
    };
  };
  listWebhookRetries: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": WebhookRetryList;
        };
      };
    };
  };
  retryWebhook: {
    responses: {
      201: {
        content: {
          "application/vnd.earmark.v1.hal+json": Webhook;
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
  getClock: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": AccountReset;
        };
      };
    };
  };
  listFaults: {
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
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFault;
        };
      };
    };
  };
  removeFault: {
    responses: {
      200: {
        content: {
          "application/vnd.earmark.v1.hal+json": PlannedFault;
        };
      };
    };
  };
}
