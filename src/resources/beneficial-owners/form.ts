// Request schemas to create and change a beneficial owner, and their checks.
import type { Static } from 'typebox';
import { Type } from '../../core/type.ts';
import { ageErrors, checkedBy, isBlank, memberOf, withoutBlanks } from '../../platform/forms/check.ts';
import { BirthDate, Name, Passport, RequiredText, SSN_OR_PASSPORT, Ssn, WorldAddress } from '../../platform/forms/members.ts';
import { validatorOf } from '../../platform/http/schemas.ts';

export type OwnerAddress = Static<typeof OwnerAddress>;
export type OwnerForm = Static<typeof OwnerForm>;
export type OwnerChange = Static<typeof OwnerChange>;

export const OwnerAddress = Type.Object(
  { ...WorldAddress.properties, postalCode: RequiredText },
  { title: 'BeneficialOwnerAddress' },
);

const members = { firstName: Name, lastName: Name, dateOfBirth: BirthDate, address: OwnerAddress };
const identity = { ssn: Type.Optional(Ssn), passport: Type.Optional(Passport) };

export const OwnerForm = Type.Object(
  { ...members, ...identity },
  {
    title: 'BeneficialOwnerRequest',
    description: 'A person who owns a part of the business. Requires ssn or passport.',
    ...SSN_OR_PASSPORT,
  },
);

/** The members to replace. An address is replaced as a whole; an ssn replaces a passport and vice versa. */
export const OwnerChange = Type.Object(
  { ...Type.Partial(Type.Object(members)).properties, ...identity },
  {
    title: 'BeneficialOwnerChange',
    description:
      'The members to replace. An address is replaced completely. An ssn replaces a passport and a passport replaces an ssn, unless both are given.',
  },
);

const formErrors = validatorOf(OwnerForm);
const changeErrors = validatorOf(OwnerChange);

/** Validator of the create route: blank text counts as absent, and the age is checked together with the schema. */
export const compileOwnerForm = checkedBy((body) => {
  const form = withoutBlanks(body);
  const found = formErrors(form);
  return { errors: [...found, ...ageErrorsOf(form, found)], form };
});

/** Validator of the change route: members that are present must not be blank. */
export const compileOwnerChange = checkedBy((body) => {
  const form = withoutBlanks(body);
  const found = changeErrors(form);
  const blank = Object.keys(OwnerChange.properties).filter((name) => isBlank(memberOf(body, name)));
  const blanks = blank.map((name) => ({ keyword: 'minLength', instancePath: `/${name}`, schemaPath: '', params: {} }));
  return { errors: [...found, ...blanks, ...ageErrorsOf(form, found)], form };
});

function ageErrorsOf(form: unknown, found: Parameters<typeof ageErrors>[1]) {
  return ageErrors([['/dateOfBirth', memberOf(form, 'dateOfBirth')]], found, new Date());
}
