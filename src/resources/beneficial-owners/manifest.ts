// The manifest of beneficial owners.
import { fragment } from '../../platform/db/sql.ts';
import { creationsIn, type Manifest, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

export const beneficialOwners = {
  tags: [{ name: 'beneficial owners', description: 'Owners of a business, and the certification that they are complete' }],
  topics: {
    customer_beneficial_owner_created: {
      resource: 'beneficial-owner',
      about: 'A beneficial owner was created',
      created: creationsIn('beneficial_owner'),
    },
    customer_beneficial_owner_removed: { resource: 'beneficial-owner', about: 'A beneficial owner was removed' },
    customer_beneficial_owner_verified: { resource: 'beneficial-owner', about: 'A beneficial owner is verified' },
    customer_beneficial_owner_reverification_needed: {
      resource: 'beneficial-owner',
      about: 'A beneficial owner is incomplete and needs corrected data',
    },
    customer_beneficial_owner_verification_document_needed: {
      resource: 'beneficial-owner',
      about: 'A beneficial owner needs a document to be verified',
    },
    customer_beneficial_owner_verification_document_uploaded: {
      resource: 'document',
      about: 'A document of a beneficial owner was submitted',
      created: fragment`${creationsIn('document')} and owner_id is not null`,
    },
    customer_beneficial_owner_verification_document_approved: {
      resource: 'document',
      about: 'A document of a beneficial owner was accepted',
    },
    customer_beneficial_owner_verification_document_failed: {
      resource: 'document',
      about: 'A document of a beneficial owner was rejected',
    },
  },
  idempotent: { 'beneficial-owner': rowOf('beneficial_owner') },
  sealed: [{ table: 'beneficial_owner', column: 'sealed', content: 'beneficial owners', context: sealingContext }],
  reset: resetOfCustomers('beneficial_ownership', 'beneficial_owner'),
} satisfies Manifest;

export function sealingContext({ id }: { id: string }): string {
  return `beneficial-owner:${id}`;
}
