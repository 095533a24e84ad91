// Checks the request bodies of customers against their schemas, and for blank text and ages, and reports all faults together.
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { TSchema } from 'typebox';
import { openSchemaCompiler } from '../http/schemas.ts';
import { AGE_YEARS, CustomerChange, CustomerForm } from './form.ts';

/** Validator of the create route: blank text counts as absent, a missing type as unverified, and ages are checked together with the schema. */
export const compileForm = compilerOf((_errors, body) => checkForm(formErrors, body));

/** Validator of the change route. It checks only that the body is an object, because its schema depends on the customer. */
export const compileChange = compilerOf((_errors, body) => ({
  errors: isRecord(body) ? [] : [{ keyword: 'type', instancePath: '', schemaPath: '', params: { type: 'object' } }],
  form: body,
}));

/** Checks the complete data of a customer as on creation. Throws the validation error of Fastify. */
export function requireForm(body: unknown): CustomerForm {
  return requireValid<CustomerForm>(checkForm(formErrors, body));
}

/** Whether a body is the complete data of a customer. */
export function isForm(body: unknown): boolean {
  return checkForm(formErrors, body).errors.length === 0;
}

/** Checks a change. Blank text becomes the empty string, which removes an optional member. Throws as `requireForm` does. */
export function requireChange(body: object): CustomerChange {
  const blank = Object.keys(CustomerChange.properties).filter((name) => name !== 'status' && isBlank(memberOf(body, name)));
  const given = withoutBlanks(body) as object;
  const form = { ...given, ...Object.fromEntries(blank.map((name) => [name, ''])) };
  return requireValid<CustomerChange>({ errors: changeErrors(given), form });
}

/** Whether a person born on a date (YYYY-MM-DD, UTC) is 18 to 125 years old. A person born on 29 February turns 18 on 1 March. */
export function isOfAge(dateOfBirth: string, now: Date): boolean {
  const yearsAgo = (years: number) => `${now.getUTCFullYear() - years}${now.toISOString().slice(4, 10)}`;
  return dateOfBirth <= yearsAgo(AGE_YEARS.min) && dateOfBirth > yearsAgo(AGE_YEARS.max + 1);
}

/** Returns a validator compiler for a route that checks more than its schema. `errors` returns the faults that the schema finds. */
export function compilerOf(check: Check): FastifySchemaCompiler<TSchema> {
  const compile = openSchemaCompiler();
  return (route) => {
    const validate = compile(route);
    if (route.httpPart !== 'body') return validate;
    return (body: unknown) => {
      const { errors, form } = check(errorsOf(validate), body);
      return errors.length > 0 ? { error: errors } : { value: form };
    };
  };
}

/** Returns faults for birth dates that are valid dates, but outside the allowed ages at `now`. */
export function ageErrors(births: Birth[], found: FastifySchemaValidationError[], now: Date): FastifySchemaValidationError[] {
  const message = `must be ${AGE_YEARS.min} to ${AGE_YEARS.max} years ago`;
  return births
    .filter(
      ([pointer, date]) =>
        typeof date === 'string' && !isOfAge(date, now) && !found.some((error) => error.instancePath === pointer),
    )
    .map(([instancePath]) => ({ keyword: 'age', instancePath, schemaPath: '', params: {}, message }));
}

/** Removes blank text at every level. */
export function withoutBlanks(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const given = Object.entries(value).filter(([, member]) => !isBlank(member));
  return Object.fromEntries(given.map(([name, member]) => [name, withoutBlanks(member)]));
}

export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** A JSON pointer and the value at it. */
type Birth = [pointer: string, date: unknown];

type Errors = (form: unknown) => FastifySchemaValidationError[];
type Checked = { errors: FastifySchemaValidationError[]; form: unknown };
type Check = (errors: Errors, body: unknown) => Checked;

const formErrors = errorsOf(openSchemaCompiler()({ schema: CustomerForm, method: 'POST', url: '', httpPart: 'body' }));
const changeErrors = errorsOf(openSchemaCompiler()({ schema: CustomerChange, method: 'POST', url: '', httpPart: 'body' }));

function checkForm(errors: Errors, body: unknown): Checked {
  const given = withoutBlanks(body);
  const form = isRecord(given) ? { type: 'unverified', ...given } : given;
  const found = errors(form);
  return { errors: [...found, ...ageErrors(birthsOf(form), found, new Date())], form };
}

function requireValid<T>({ errors, form }: Checked): T {
  // The shape of Fastify's validation errors, so that the error handler formats both in the same way.
  if (errors.length > 0) throw Object.assign(new Error('invalid body'), { validation: errors, validationContext: 'body' });
  return form as T;
}

function errorsOf(validate: ReturnType<FastifySchemaCompiler<TSchema>>): Errors {
  return (form) => (validate(form) === true ? [] : (validate.errors ?? []));
}

/** The birth dates in a request body, by the type of customer. */
function birthsOf(form: unknown): Birth[] {
  const type = memberOf(form, 'type');
  const births: Birth[] = [];
  if (type === 'personal' || type === 'business') births.push(['/dateOfBirth', memberOf(form, 'dateOfBirth')]);
  if (type === 'business') births.push(['/controller/dateOfBirth', memberOf(memberOf(form, 'controller'), 'dateOfBirth')]);
  return births;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
