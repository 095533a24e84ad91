// Tests of documents that decide themselves, from the upload of a picture: in the sandbox the script comes first, then the reader.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Body } from '../../../../test/support/http.ts';
import { blankPng, picture } from '../../../../test/support/pictures.ts';
import { passportSpecimen } from '../../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const { newOwner, submitted, get } = await openUploads({ after }, { env: { SANDBOX_REVIEW_DELAY_MS: '0' } });

/** The status of a document with its reasons, and the checkers that were asked. */
async function outcomeOf(owner: string, file: Buffer, documentType = 'passport') {
  const document = await submitted(owner, { file, documentType });
  const { _embedded } = await waitUntil('the document is checked', async () => {
    const reviews = await get(`${document}/reviews`);
    return reviews.total > 0 && reviews;
  });
  const { documentVerificationStatus, allFailureReasons = [] } = await get(document);
  const checkers = _embedded.reviews.map(({ reviewer }: Body) => reviewer.name).reverse();
  return [documentVerificationStatus, ...allFailureReasons.map(({ reason }: Body) => reason), ...checkers];
}

test('a passport decides itself: accepted, or rejected for what differs', async () => {
  // The first name of these owners is the word that asks the sandbox for a document.
  const { person, picture } = await passportSpecimen(7);
  const { lastName: surname, dateOfBirth } = person;
  const owner = await newOwner({ lastName: surname, dateOfBirth });
  assert.deepEqual(await outcomeOf(owner, picture), ['accepted', 'scripted', 'reader']);
  assert.equal((await get(owner)).verificationStatus, 'verified');
  const other = await passportSpecimen(8);
  const { lastName } = other.person;
  const born = await newOwner({ lastName, dateOfBirth: '1970-01-01' });
  assert.deepEqual(await outcomeOf(born, other.picture), ['rejected', 'ScanDobMismatch', 'scripted', 'reader']);
  const named = await newOwner({ lastName: 'Else' });
  assert.deepEqual((await outcomeOf(named, other.picture))[0], 'pending', 'the picture of another owner is for a person');
});

test('names of the script are decided by the script', async () => {
  const blank = blankPng(320, 200);
  assert.deepEqual(await outcomeOf(await newOwner({ lastName: 'Accepted' }), blank), ['accepted', 'scripted']);
  assert.deepEqual(await outcomeOf(await newOwner({ lastName: 'ScanIdExpired' }), blank), [
    'rejected',
    'ScanIdExpired',
    'scripted',
  ]);
});

test('a blank picture is not readable, and one without data is for a person', async () => {
  const blank = blankPng(320, 200);
  assert.deepEqual(await outcomeOf(await newOwner(), blank), ['rejected', 'ScanNotReadable', 'scripted', 'reader']);
  const noise = await picture('jpeg', 640, 420);
  assert.deepEqual(await outcomeOf(await newOwner(), noise), ['pending', 'scripted', 'reader']);
});
