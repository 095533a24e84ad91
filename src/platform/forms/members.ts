// Members that the forms of people share: names, texts, addresses, birth dates and identity numbers.
import { NO_CONTROL_CHARACTERS } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';

const NAME_LENGTH = 50;
const TEXT_LENGTH = 100;
/** In whole years, inclusive. */
export const AGE_YEARS = { min: 18, max: 125 };

export const Name = Type.String({ minLength: 1, maxLength: NAME_LENGTH, pattern: NO_CONTROL_CHARACTERS });
export const Text = Type.String({ maxLength: TEXT_LENGTH, pattern: NO_CONTROL_CHARACTERS });
export const RequiredText = Type.String({ ...Text, minLength: 1 });
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' });
export const BirthDate = Type.String({
  format: 'date',
  description: `${AGE_YEARS.min} to ${AGE_YEARS.max} years ago. Never returned.`,
});
export const Ssn = Type.String({
  pattern: '^([0-9]{9}|[0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{4})$',
  description: 'Nine digits with or without hyphens, or the last four digits. Never returned.',
});
export const Passport = Type.Object(
  { number: Type.String({ pattern: '^[A-Za-z0-9-]{1,20}$' }), country: Country },
  { title: 'Passport', description: 'Never returned.' },
);

/** Requires an ssn unless a passport is given. */
export const SSN_OR_PASSPORT = { if: { required: ['passport'] }, else: { required: ['ssn'] } };

/** An international address. The postal code is optional, because some countries have none. */
export const WorldAddress = Type.Object(
  {
    address1: RequiredText,
    address2: Type.Optional(Text),
    address3: Type.Optional(Text),
    city: RequiredText,
    stateProvinceRegion: RequiredText,
    country: Country,
    postalCode: Type.Optional(Text),
  },
  { title: 'Address' },
);
