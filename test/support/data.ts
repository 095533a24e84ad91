// Request bodies of common resources, shared by the tests.
import { randomUUID } from 'node:crypto';

export type Fields = Record<string, unknown>;

const YEAR = new Date().getUTCFullYear();
/** A date of birth that is too late, and one that is too early. */
export const CHILD = `${YEAR - 10}-06-15`;
export const ANCIENT = `${YEAR - 130}-06-15`;

export const usd = (value: string) => ({ value, currency: 'USD' });

/** The body of what moves one amount. */
export const amountOf = (value: unknown, currency = 'USD') => ({ amount: { value, currency } });

/** A verified business with its own email address. */
export function customerForm() {
  return {
    type: 'business',
    firstName: 'Grace',
    lastName: 'Example',
    email: `${randomUUID()}@example.com`,
    address1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    postalCode: '62701',
    dateOfBirth: '1980-01-02',
    ssn: '987-65-4321',
    businessName: 'Example Works',
    businessType: 'soleProprietorship',
    businessClassification: 'retail',
  };
}

/** The members that the forms of customers share. */
export const person = { firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' };
export const home = { address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701' };
export const business = { businessName: 'Example Works', businessClassification: 'retail' };
export const controller = {
  firstName: 'Con',
  lastName: 'Troller',
  title: 'CEO',
  dateOfBirth: '1970-03-04',
  ssn: '876543210',
  address: { address1: '2 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US' },
};

/** A form of each type of customer. */
export const personal = { type: 'personal', ...person, ...home, dateOfBirth: '1980-01-02', ssn: '987-65-4321' };
export const soleProprietor = { ...personal, ...business, type: 'business', businessType: 'soleProprietorship' };
export const corporation = {
  ...{ type: 'business', ...person, ...home, ...business },
  ...{ businessType: 'corporation', ein: '12-3456789', controller },
};
export const unverified = { type: 'unverified', ...person };

/** The address of a beneficial owner, which has other members than that of a customer. */
export const address = {
  address1: '1 Main Street',
  city: 'Springfield',
  stateProvinceRegion: 'IL',
  country: 'US',
  postalCode: '62701',
};

/** A beneficial owner; in the sandbox the first name decides the status. */
export const ownerForm = {
  firstName: 'Olive',
  lastName: 'Example',
  dateOfBirth: '1979-11-30',
  ssn: '912-65-4329',
  address,
};

/** A reallocation between the URLs of two labels. */
export function reallocation(from: string, to: string, value: unknown, currency: unknown = 'USD') {
  return { _links: { from: { href: from }, to: { href: to } }, amount: { value, currency } };
}
