// The table of problems: name → status, wire code and message. Read by the error handler, the OpenAPI document and the tests.
import type { Resource } from './ids.ts';

export const problems = {
  badRequest: { status: 400, code: 'BadRequest', message: 'The request body contains bad syntax or is incomplete.' },
  badQuery: { status: 400, code: 'BadRequest', message: 'The request query contains bad syntax or is incomplete.' },
  badUrl: { status: 400, code: 'BadRequest', message: 'The request URL contains bad syntax.' },
  badHeader: { status: 400, code: 'BadRequest', message: 'A request header contains bad syntax.' },
  badSignature: { status: 400, code: 'BadRequest', message: 'The signature of the request is refused.' },
  malformed: { status: 400, code: 'BadRequest', message: 'The request is malformed HTTP.' },
  validation: { status: 400, code: 'ValidationError', message: 'Validation error(s) present.' },
  tooManyOwners: { status: 400, code: 'MaxNumberOfResources', message: 'A customer has at most four beneficial owners.' },
  duplicateDocument: { status: 400, code: 'DuplicateResource', message: 'This document was submitted already.' },
  tooManyDocuments: { status: 400, code: 'MaxNumberOfResources', message: 'At most 4 documents may wait for a decision.' },
  invalidFileType: {
    status: 400,
    code: 'InvalidFileType',
    message: 'The file must be a JPEG or PNG image, or a PDF if the document type is other.',
  },
  badFile: {
    status: 400,
    code: 'BadFile',
    message: 'The file cannot be read. It may be damaged, truncated or too large to decode.',
  },
  invalidAccessToken: { status: 401, code: 'InvalidAccessToken', message: 'Invalid access token.' },
  expiredAccessToken: { status: 401, code: 'ExpiredAccessToken', message: 'Expired access token.' },
  forbidden: { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' },
  reallocationForbidden: { status: 403, code: 'Forbidden', message: 'Not authorized to create label reallocation' },
  labelForbidden: { status: 403, code: 'Forbidden', message: 'Not authorized to create customer label' },
  customerNotVerified: { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' },
  statusUnreachable: { status: 403, code: 'InvalidResourceState', message: 'Customer status cannot be changed this way.' },
  customerSettled: {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Complete customer data is accepted only while the customer is in retry or unverified.',
  },
  customerClosed: { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' },
  notABusiness: { status: 403, code: 'InvalidResourceState', message: 'Only a business customer has beneficial owners.' },
  ownerNotIncomplete: {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Beneficial owner can be changed only while it is incomplete.',
  },
  holdNotPending: { status: 403, code: 'InvalidResourceState', message: 'The hold is captured, released or expired.' },
  monitorDeleted: { status: 403, code: 'InvalidResourceState', message: 'The balance monitor is deleted.' },
  scheduleEnded: { status: 403, code: 'InvalidResourceState', message: 'The schedule has ended.' },
  allocationRuleDeleted: { status: 403, code: 'InvalidResourceState', message: 'The allocation rule is deleted.' },
  labelNotEmpty: { status: 403, code: 'InvalidResourceState', message: 'Amount must be zero to remove label.' },
  needsNoDocument: { status: 403, code: 'InvalidResourceState', message: 'No document is needed now.' },
  documentDecided: { status: 403, code: 'InvalidResourceState', message: 'The document has been decided already.' },
  documentErased: { status: 403, code: 'InvalidResourceState', message: 'The content of the document has been erased.' },
  needsSecondReviewer: { status: 403, code: 'InvalidResourceState', message: 'Another reviewer has to agree with your review.' },
  reallocationReversed: {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Label reallocation is reversed already, or is a reversal.',
  },
  fullyReturned: { status: 403, code: 'InvalidResourceState', message: 'The whole amount is returned already.' },
  notFound: { status: 404, code: 'NotFound', message: 'The requested resource was not found.' },
  unknownPath: { status: 404, code: 'NotFound', message: 'The path is not part of this API.' },
  labelNotFound: { status: 404, code: 'NotFound', message: 'Label not found' },
  customerNotFound: { status: 404, code: 'NotFound', message: 'Customer not found' },
  eventGone: {
    status: 404,
    code: 'NotFound',
    message: 'The event with the id in after was not found. It may have been deleted after its retention period.',
  },
  tooManySubscriptions: {
    status: 400,
    code: 'MaxNumberOfResources',
    message: 'The account has reached its maximum number of webhook subscriptions.',
  },
  tooManyNames: { status: 400, code: 'MaxNumberOfResources', message: 'A label can be renamed at most 99 times.' },
  tooManySchedules: {
    status: 400,
    code: 'MaxNumberOfResources',
    message: 'A customer has at most 100 schedules that have not ended.',
  },
  tooManyMonitors: { status: 400, code: 'MaxNumberOfResources', message: 'A label has at most 20 balance monitors.' },
  subscriptionPaused: {
    status: 403,
    code: 'InvalidResourceState',
    message: 'The webhook subscription is paused or removed.',
  },
  methodNotAllowed: { status: 405, code: 'MethodNotAllowed', message: 'The method is not allowed for this resource.' },
  invalidVersion: {
    status: 406,
    code: 'InvalidVersion',
    message: 'The Accept header does not name a media type and version of this service.',
  },
  requestTimeout: { status: 408, code: 'RequestTimeout', message: 'The request did not arrive in time.' },
  conflict: { status: 409, code: 'Conflict', message: 'The Idempotency-Key was used for another request.' },
  documentClaimed: { status: 409, code: 'Conflict', message: 'Another reviewer has taken the document.' },
  documentNotWaiting: { status: 409, code: 'Conflict', message: 'The document does not wait for a reviewer.' },
  externalIdTaken: { status: 409, code: 'Conflict', message: 'The externalId is already in use.' },
  allocationRuleActive: {
    status: 409,
    code: 'Conflict',
    message: 'The customer has another active allocation rule for deposits in this currency.',
  },
  fileTooLarge: { status: 413, code: 'FileTooLarge', message: 'The file is larger than 10 MiB.' },
  requestTooLarge: { status: 413, code: 'RequestTooLarge', message: 'The request is too large.' },
  unsupportedType: {
    status: 415,
    code: 'UnsupportedRequestContentType',
    message: 'The Content-Type of the request is not supported.',
  },
  tooManyRequests: { status: 429, code: 'TooManyRequests', message: 'Too many requests. Try again later.' },
  headersTooLarge: { status: 431, code: 'RequestTooLarge', message: 'The request line and headers are too large.' },
  serverError: { status: 500, code: 'ServerError', message: 'A server error occurred.' },
  unavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    message: 'The service is unavailable. Try again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, { status: number; code: string; message: string }>;

export type ProblemName = keyof typeof problems;

/** All distinct wire codes. */
export const PROBLEM_CODES = [...new Set(Object.values(problems).map(({ code }) => code))];

export const FAULT_CODES = [
  'Required',
  'Invalid',
  'InvalidFormat',
  'Duplicate',
  'NotAllowed',
  'InsufficientFunds',
  'ReadOnly',
] as const;

/** One refused value: the broken rule, a message, and its place as a JSON pointer (RFC 6901). */
export type Fault = {
  code: (typeof FAULT_CODES)[number];
  message: string;
  path: string;
};

type Details = {
  message?: string;
  faults?: Fault[];
  /** The resource that `_links.about` names. */
  about?: Resource;
  /** A path of the documentation, which `_links.about` names instead. */
  documentation?: string;
  headers?: Record<string, string>;
};

/** An error that is answered with a problem. */
export class Refusal extends Error {
  readonly problem: ProblemName;
  readonly details: Details;

  constructor(problem: ProblemName, details: Details = {}) {
    super(details.message ?? problems[problem].message);
    this.problem = problem;
    this.details = details;
  }
}

/** Creates a refusal to throw: `throw refuse('labelNotFound')`. */
export function refuse(problem: ProblemName, details?: Details): Refusal {
  return new Refusal(problem, details);
}

/** Creates a ValidationError for one or more faults. Its message is that of the first fault, as many clients log only the message. */
export function invalid(...faults: [Fault, ...Fault[]]): Refusal {
  return new Refusal('validation', { message: faults[0].message, faults });
}
