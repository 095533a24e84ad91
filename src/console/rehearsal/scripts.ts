// Customers whose names select what happens to them in a sandbox.

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

/** The form of the API for a script. */
export function formOf({ firstName, lastName }: { firstName: string; lastName: string }) {
  const email = `${lastName.toLowerCase()}@example.com`;
  return { type: 'personal', firstName, lastName, email, ...address, ...identity };
}
