// The person on record whom a document has to show, with the sealed birth date and passport number.
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { sealingContext as ownerContext } from '../beneficial-owners/manifest.ts';
import { sealingContext as customerContext } from '../customers/manifest.ts';
import type { PersonOnRecord } from './comparison/compare.ts';
import type { Subject } from './document.ts';

type Secrets = { dateOfBirth?: string; passport?: { number: string } };
type Names = { firstName: string; lastName: string };

/** Returns the person of a subject: the owner, the customer, or the controller of a business that has one. */
export async function findRecord(sql: Sql, sealer: Sealer, subject: Subject): Promise<PersonOnRecord | undefined> {
  const { bucket, customerId, ownerId } = subject;
  if (ownerId !== null) {
    const [owner] = await sql<Names & { sealed: Buffer }>`
      select first_name, last_name, sealed from beneficial_owner where bucket = ${bucket} and id = ${ownerId}`;
    return owner && toRecord(owner, parse(sealer.open(owner.sealed, ownerContext({ id: ownerId }))));
  }
  const [customer] = await sql<Names & { profile: { controller?: Names }; sealed: Buffer | null }>`
    select first_name, last_name, profile, sealed from customer where bucket = ${bucket} and id = ${customerId}`;
  if (!customer) return undefined;
  const secrets = customer.sealed ? parse(sealer.open(customer.sealed, customerContext({ id: customerId }))) : {};
  const { controller } = customer.profile;
  return controller ? toRecord(controller, secrets.controller ?? {}) : toRecord(customer, secrets);
}

function parse(opened: Buffer): Secrets & { controller?: Secrets } {
  return JSON.parse(opened.toString()) as Secrets & { controller?: Secrets };
}

function toRecord({ firstName, lastName }: Names, { dateOfBirth, passport }: Secrets): PersonOnRecord {
  return { firstName, lastName, ...(dateOfBirth && { dateOfBirth }), ...(passport && { passportNumber: passport.number }) };
}
