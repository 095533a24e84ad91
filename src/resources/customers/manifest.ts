// The manifest of customers.
import { fragment } from '../../platform/db/sql.ts';
import { creationsIn, type Manifest, rowOf } from '../../platform/manifest.ts';

export const customers = {
  tags: [{ name: 'customers', description: 'People and businesses with balances' }],
  topics: {
    customer_created: {
      resource: 'customer',
      about: 'A customer was created',
      created: fragment`select bucket, id, account_id, id as customer_id, created from customer where created > '-infinity'`,
    },
    customer_updated: { resource: 'customer', about: 'Contact data or metadata of a customer changed' },
    customer_verified: { resource: 'customer', about: 'A customer is verified and may hold labels' },
    customer_suspended: { resource: 'customer', about: 'A customer was suspended' },
    customer_activated: { resource: 'customer', about: 'A suspended or deactivated customer is active again' },
    customer_deactivated: { resource: 'customer', about: 'A customer was deactivated' },
    customer_reverification_needed: {
      resource: 'customer',
      about: 'A customer could not be verified and needs corrected data',
    },
    customer_verification_document_needed: { resource: 'customer', about: 'A customer needs a document to be verified' },
    customer_erased: { resource: 'customer', about: 'The texts of a customer were erased' },
    customer_verification_document_uploaded: {
      resource: 'document',
      about: 'A document of a customer was submitted',
      created: fragment`${creationsIn('document')} and owner_id is null`,
    },
    customer_verification_document_approved: { resource: 'document', about: 'A document of a customer was accepted' },
    customer_verification_document_failed: { resource: 'document', about: 'A document of a customer was rejected' },
  },
  idempotent: { customer: rowOf('customer') },
  sealed: [{ table: 'customer', column: 'sealed', content: 'customers', context: sealingContext }],
  reset: {
    tables: ['customer', 'customer_external_id'],
    async run(tx, { accountId, buckets, customers }) {
      await tx`delete from customer_external_id where account_id = ${accountId}`;
      await tx`delete from customer where bucket = any(${buckets}) and id = any(${customers})`;
      return {};
    },
  },
} satisfies Manifest;

export function sealingContext({ id }: { id: string }): string {
  return `customer:${id}`;
}
