// Customers and documents whose names select what happens to them in a sandbox.

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

/** The form of a customer that needs a document, the one with this number. */
export function formWithDocument(script: keyof typeof DOCUMENT_SCRIPTS, index: number) {
  const lastName = DOCUMENT_SCRIPTS[script].lastName ?? SURNAMES[index % SURNAMES.length]!;
  return { ...formOf({ firstName: 'document', lastName }), email: `${lastName}.${index}@example.com`.toLowerCase() };
}

/** The form of the API for a script. */
export function formOf({ firstName, lastName }: { firstName: string; lastName: string }) {
  const email = `${lastName.toLowerCase()}@example.com`;
  return { type: 'personal', firstName, lastName, email, ...address, ...identity };
}
