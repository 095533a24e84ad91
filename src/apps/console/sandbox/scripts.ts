// Customers and documents whose names select what happens to them in a sandbox.
import { randomInt } from 'node:crypto';

const address = { address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701' };
const identity = { dateOfBirth: '1985-04-12', ssn: '123-45-6789' };

/** `firstName` selects the status of the customer, `lastName` the verdict on its documents. */
export const SCRIPTS = {
  verified: { label: 'verified at once', firstName: 'Ada', lastName: 'Example' },
  retry: { label: 'must send its data again', firstName: 'retry', lastName: 'Example' },
  suspended: { label: 'is suspended', firstName: 'suspended', lastName: 'Example' },
  document: { label: 'needs a document, which waits for a reviewer', firstName: 'document', lastName: 'Example' },
  accepted: { label: 'needs a document, which is accepted', firstName: 'document', lastName: 'Accepted' },
  rejected: { label: 'needs a document, which is rejected', firstName: 'document', lastName: 'Rejected' },
  expired: { label: 'needs a document, which is rejected as expired', firstName: 'document', lastName: 'ScanIdExpired' },
} as const satisfies Record<string, { label: string; firstName: string; lastName: string }>;

/** `lastName` selects the verdict; with another one the document waits for a reviewer. */
export const DOCUMENT_SCRIPTS = {
  waiting: { label: 'waits for a reviewer', lastName: undefined },
  accepted: { label: 'is accepted', lastName: 'Accepted' },
  rejected: { label: 'is rejected', lastName: 'Rejected' },
  expired: { label: 'is rejected as expired', lastName: 'ScanIdExpired' },
} as const satisfies Record<string, { label: string; lastName: string | undefined }>;

const SURNAMES = ['Baker', 'Holm', 'Ito', 'Keller', 'Lindqvist', 'Moreau', 'Novak', 'Okafor', 'Rossi', 'Silva'];

/** Of an adult: the day is chosen, so that two documents are not of one person. */
const BORN = { first: 1950, after: 2000 };
const MONTHS = 12;
const DAYS = 28;

/** The form of a customer that needs a document, the one with this number. */
export function formWithDocument(script: keyof typeof DOCUMENT_SCRIPTS, index: number) {
  const lastName = DOCUMENT_SCRIPTS[script].lastName ?? SURNAMES[index % SURNAMES.length]!;
  const day = [randomInt(1, MONTHS + 1), randomInt(1, DAYS + 1)].map((number) => String(number).padStart(2, '0'));
  const dateOfBirth = [randomInt(BORN.first, BORN.after), ...day].join('-');
  const email = `${lastName}.${index}@example.com`.toLowerCase();
  return { ...formOf({ firstName: 'document', lastName }), email, dateOfBirth };
}

type Holder = { firstName: string; lastName: string; dateOfBirth: string };

/** Years from now until the passport expires. Above ten years a person decides. */
const VALID = { usual: 5, long: 11, expired: -1 };
/** Why the reader leaves a passport to a person: the years of its validity, a second surname, and no zone. */
const UNCLEAR = 3;

/** What the passport of a document shows. Of those that wait the reader is sure of most, and each has something for a person. */
export function passportOf(
  { firstName, lastName, dateOfBirth }: Holder,
  { script, index, now }: { script: keyof typeof DOCUMENT_SCRIPTS; index: number; now: Date },
) {
  const expiresAfter = (years: number) => `${now.getUTCFullYear() + years}${now.toISOString().slice(4, 8)}01`;
  const holder = { firstName, lastName, dateOfBirth };
  if (script !== 'waiting') return { ...holder, expires: expiresAfter(script === 'expired' ? VALID.expired : VALID.usual) };
  const why = index % UNCLEAR;
  if (why === 0) return { ...holder, expires: expiresAfter(VALID.long) };
  return why === 1 ? { ...holder, lastName: `${lastName} Marin`, expires: expiresAfter(VALID.usual) } : holder;
}

/** The form of the API for a script. */
export function formOf({ firstName, lastName }: { firstName: string; lastName: string }) {
  const email = `${lastName.toLowerCase()}@example.com`;
  return { type: 'personal', firstName, lastName, email, ...address, ...identity };
}
