// Request schemas to create a customer, by type, and to change one.
import type { Static } from 'typebox';
import { Type } from '../../core/type.ts';
import { external, MetadataSchema } from '../../platform/forms/external.ts';
import {
  BirthDate,
  Name,
  Passport,
  RequiredText,
  SSN_OR_PASSPORT,
  Ssn,
  Text,
  WorldAddress,
} from '../../platform/forms/members.ts';
import { correlated } from '../../platform/http/correlation-id.ts';

export type BusinessForm = Static<typeof BusinessForm>;
export type CustomerForm = Static<typeof PersonalForm> | BusinessForm | Static<typeof UnverifiedForm>;
export type CustomerChange = Static<typeof CustomerChange>;

const EMAIL_LENGTH = 254;
const URL_LENGTH = 255;
const CORPORATE = ['corporation', 'llc', 'partnership'] as const;

const Email = Type.String({ maxLength: EMAIL_LENGTH, format: 'email' });
const State = Type.String({ pattern: '^[A-Z]{2}$', description: 'Two-letter code of a US state.', examples: ['CA'] });
const PostalCode = Type.String({ pattern: '^[0-9]{5}(-[0-9]{4})?$', description: 'ZIP or ZIP+4.' });
const Phone = Type.String({ pattern: '^[+(]?[0-9][0-9 ().-]{5,23}$' });
const Website = Type.String({ maxLength: URL_LENGTH, pattern: '^https?://[^\\x00-\\x20\\x7f-\\xa0]+$' });
const IpAddress = Type.String({
  pattern: '^[0-9A-Fa-f.:]{2,45}$',
  description: 'IP address of the person who filled in the form. Never returned.',
});
const Ein = Type.String({
  pattern: '^([0-9]{2}-[0-9]{7}|[0-9]{9})$',
  description: 'Nine digits with or without a hyphen. Never returned.',
});
const Controller = Type.Object(
  {
    firstName: Name,
    lastName: Name,
    title: RequiredText,
    dateOfBirth: BirthDate,
    address: WorldAddress,
    ssn: Type.Optional(Ssn),
    passport: Type.Optional(Passport),
  },
  {
    title: 'ControllerRequest',
    description: 'A person who controls the business. Requires ssn or passport.',
    ...SSN_OR_PASSPORT,
  },
);

const holder = { firstName: Name, lastName: Name, email: Email };
const address = { address1: RequiredText, city: RequiredText, state: State, postalCode: PostalCode };
const extras = {
  ...correlated,
  ...external,
  address2: Type.Optional(Text),
  phone: Type.Optional(Phone),
  doingBusinessAs: Type.Optional(Text),
  website: Type.Optional(Website),
  ipAddress: Type.Optional(IpAddress),
};

export const PersonalForm = Type.Object(
  {
    type: Type.Literal('personal'),
    ...holder,
    ...address,
    dateOfBirth: BirthDate,
    ssn: Ssn,
    ...extras,
  },
  { title: 'PersonalCustomerRequest' },
);

/** The account holder's dateOfBirth and ssn are required for a sole proprietorship only; for other businesses the controller's are. */
export const BusinessForm = Type.Object(
  {
    type: Type.Literal('business'),
    ...holder,
    ...address,
    dateOfBirth: Type.Optional(BirthDate),
    ssn: Type.Optional(Ssn),
    businessName: RequiredText,
    businessType: Type.Enum(['soleProprietorship', ...CORPORATE]),
    businessClassification: RequiredText,
    ein: Type.Optional(Ein),
    controller: Type.Optional(Controller),
    ...extras,
  },
  {
    title: 'BusinessCustomerRequest',
    description:
      'A soleProprietorship requires dateOfBirth and ssn of the account holder. Every other business requires ein and controller.',
    allOf: [requiredOf(['soleProprietorship'], ['dateOfBirth', 'ssn']), requiredOf(CORPORATE, ['ein', 'controller'])],
  },
);

export const UnverifiedForm = Type.Object(
  {
    type: Type.Literal('unverified'),
    ...holder,
    ...Type.Partial(Type.Object({ ...address, businessName: Text })).properties,
    ...extras,
  },
  { title: 'UnverifiedCustomerRequest' },
);

/** The schema that validates a new customer, with its type: only faults of the form of that type are reported. */
export const CustomerForm = Type.Unsafe<CustomerForm>({
  type: 'object',
  discriminator: { propertyName: 'type' },
  oneOf: [PersonalForm, BusinessForm, UnverifiedForm],
});

/** The documented schema of a new customer: a request without `type` creates an unverified customer. */
export const CustomerRequest = Type.Unsafe<CustomerForm>({
  title: 'CustomerRequest',
  oneOf: [
    PersonalForm,
    BusinessForm,
    Type.Object(
      { ...UnverifiedForm.properties, type: Type.Optional(UnverifiedForm.properties.type) },
      { title: 'UnverifiedCustomerRequest' },
    ),
  ],
});

/** The members of a customer that can change, or its status. Which of them depends on the customer (change.ts). */
export const CustomerChange = Type.Partial(
  Type.Object({
    status: Type.Enum(['suspended', 'deactivated', 'reactivated']),
    email: Email,
    phone: Phone,
    ...address,
    address2: Text,
    doingBusinessAs: Text,
    website: Website,
    firstName: Name,
    lastName: Name,
    businessName: Text,
    metadata: MetadataSchema,
  }),
  {
    title: 'CustomerChange',
    description:
      'Either contact members or only status. An empty string removes an optional member. Names can be changed only of an unverified customer. metadata replaces all earlier pairs.',
  },
);

/** The documented schema of a change: some members, or the complete data of a customer that is in retry or unverified. */
export const CustomerUpdate = Type.Union([CustomerChange, PersonalForm, BusinessForm], {
  title: 'CustomerUpdate',
  description: 'A change or, while the customer is in retry or unverified, its complete data. In retry the type is optional.',
});

/** Requires members for some types of business. A missing type requires nothing, so that only its own fault is reported. */
function requiredOf(businessTypes: readonly string[], required: string[]) {
  return { if: { properties: { businessType: { not: { enum: businessTypes } } } }, else: { required } };
}
