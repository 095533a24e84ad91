// Onboards a business: its owner needs a document, the first document is rejected, the second accepted, and the business certifies.
import { join } from 'node:path';
import { InvalidResourceStateError } from '@earmark/client';
import { fileAt } from '@earmark/client/files';
import { startEarmark } from 'earmark/testing';

const { client: earmark, stop } = await startEarmark();
const business = await earmark.customers.create({
  type: 'business',
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.com',
  address1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  businessName: 'Example Goods',
  businessType: 'llc',
  businessClassification: 'retail',
  ein: '12-3456789',
  controller: {
    firstName: 'Grace',
    lastName: 'Example',
    title: 'Director',
    dateOfBirth: '1979-11-30',
    ssn: '123-45-6789',
    address: { address1: '1 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' },
  },
});
// In the sandbox the first name `document` creates an owner that needs a document.
const owner = await earmark.beneficialOwners.create(business, {
  firstName: 'document',
  lastName: 'Example',
  dateOfBirth: '1979-11-30',
  ssn: '123-45-6789',
  address: { address1: '2 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' },
});
await report('created');

const expired = await earmark.documents.submit(owner, { type: 'passport', file: await fileAt(picture('passport-expired.png')) });
await report('a passport is submitted');
// A person or a checker reviews the document. With the scope `review`, an application can do it itself.
await earmark.documents.review(expired, { decision: 'rejected', reasons: ['ScanIdExpired'] });
await report('it is rejected');

const valid = await earmark.documents.submit(owner, { type: 'passport', file: await fileAt(picture('passport.png')) });
await earmark.documents.review(valid, { decision: 'accepted' });
await report('another one is accepted');

const late = await earmark.documents
  .submit(owner, { type: 'license', file: await fileAt(picture('passport.png')) })
  .catch((error) => error);
if (late instanceof InvalidResourceStateError) console.log(`one too many: ${late.reason}`);

const { status } = await earmark.beneficialOwnership.certify(business);
console.log(`the ownership of the business is ${status}`);
await stop();

async function report(what: string): Promise<void> {
  const { verificationStatus } = await earmark.beneficialOwners.get(owner);
  console.log(`${what}: the owner's status is ${verificationStatus}`);
  for await (const document of earmark.documents.list(owner)) {
    const reasons = document.allFailureReasons?.map(({ description }) => ` (${description})`) ?? [];
    console.log(`  ${document.type}: ${document.documentVerificationStatus}${reasons.join()}`);
  }
}

function picture(name: string): string {
  return join(import.meta.dirname, name);
}
