// Checks the request bodies of customers against their schemas, and for blank text and ages, and reports all faults together.
import {
  ageErrors,
  type Birth,
  type Checked,
  checkedBy,
  isBlank,
  isRecord,
  memberOf,
  withoutBlanks,
} from '../../platform/forms/check.ts';
import { validatorOf } from '../../platform/http/schemas.ts';
import { CustomerChange, CustomerForm } from './form.ts';

const formErrors = validatorOf(CustomerForm);
const changeErrors = validatorOf(CustomerChange);

/** Validator of the create route: blank text counts as absent, a missing type as unverified, and ages are checked together with the schema. */
export const compileForm = checkedBy(checkForm);

/** Validator of the change route. It checks only that the body is an object, because its schema depends on the customer. */
export const compileChange = checkedBy((body) => ({
  errors: isRecord(body) ? [] : [{ keyword: 'type', instancePath: '', schemaPath: '', params: { type: 'object' } }],
  form: body,
}));

/** Checks the complete data of a customer as on creation. Throws the validation error of Fastify. */
export function requireForm(body: unknown): CustomerForm {
  return requireValid<CustomerForm>(checkForm(body));
}

/** Whether a body is the complete data of a customer. */
export function isForm(body: unknown): boolean {
  return checkForm(body).errors.length === 0;
}

/** Checks a change. Blank text becomes the empty string, which removes an optional member. Throws as `requireForm` does. */
export function requireChange(body: object): CustomerChange {
  const blank = Object.keys(CustomerChange.properties).filter(
    (name) => name !== 'status' && name !== 'metadata' && isBlank(memberOf(body, name)),
  );
  const given = withoutBlanks(body) as object;
  const form = { ...given, ...Object.fromEntries(blank.map((name) => [name, ''])) };
  return requireValid<CustomerChange>({ errors: changeErrors(given), form });
}

function checkForm(body: unknown): Checked {
  const given = withoutBlanks(body);
  const form = isRecord(given) ? { type: 'unverified', ...given } : given;
  const found = formErrors(form);
  return { errors: [...found, ...ageErrors(birthsOf(form), found, new Date())], form };
}

function requireValid<T>({ errors, form }: Checked): T {
  // The shape of Fastify's validation errors, so that the error handler formats both in the same way.
  if (errors.length > 0) throw Object.assign(new Error('invalid body'), { validation: errors, validationContext: 'body' });
  return form as T;
}

/** The birth dates in a request body, by the type of customer. */
function birthsOf(form: unknown): Birth[] {
  const type = memberOf(form, 'type');
  const births: Birth[] = [];
  if (type === 'personal' || type === 'business') births.push(['/dateOfBirth', memberOf(form, 'dateOfBirth')]);
  if (type === 'business') births.push(['/controller/dateOfBirth', memberOf(memberOf(form, 'controller'), 'dateOfBirth')]);
  return births;
}
