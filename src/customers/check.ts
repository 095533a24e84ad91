// Checks the forms of a customer: what their schemas say, and what a schema cannot (blank text, ages), all at once.
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { TSchema } from 'typebox';
import { openSchemaCompiler } from '../http/schemas.ts';
import { AGE_YEARS, CustomerChange } from './form.ts';

/** Compiles the door of the creation form: blank text counts as absent, and ages are checked with all the rest. */
export const compileForm = compilerOf((errors, body) => {
  const form = withoutBlanks(body);
  const found = errors(form);
  return { errors: [...found, ...ageErrors(birthsOf(form), found, new Date())], form };
});

/** Compiles the door of the change form: blank text is the empty text, which removes an optional member. */
export const compileChange = compilerOf((errors, body) => {
  const given = withoutBlanks(body);
  const blank = Object.keys(CustomerChange.properties).filter((name) => name !== 'status' && isBlank(memberOf(body, name)));
  const form = isRecord(given) ? { ...given, ...Object.fromEntries(blank.map((name) => [name, ''])) } : given;
  return { errors: errors(given), form };
});

/** Whether someone born on a date (YYYY-MM-DD) is 18 to 125 years old; dates in UTC, and 29 February comes of age on 1 March. */
export function isOfAge(dateOfBirth: string, now: Date): boolean {
  const yearsAgo = (years: number) => `${now.getUTCFullYear() - years}${now.toISOString().slice(4, 10)}`;
  return dateOfBirth <= yearsAgo(AGE_YEARS.min) && dateOfBirth > yearsAgo(AGE_YEARS.max + 1);
}

/** A compiler for one route whose body is checked with more than its schema; `errors` are those that the schema finds. */
export function compilerOf(check: Check): FastifySchemaCompiler<TSchema> {
  const compile = openSchemaCompiler();
  return (route) => {
    const validate = compile(route);
    if (route.httpPart !== 'body') return validate;
    return (body: unknown) => {
      const { errors, form } = check((form) => (validate(form) === true ? [] : (validate.errors ?? [])), body);
      return errors.length > 0 ? { error: errors } : { value: form };
    };
  };
}

/** Faults of the birth dates at some places of a form that are dates, but not of a grown-up alive at `now`. */
export function ageErrors(births: Birth[], found: FastifySchemaValidationError[], now: Date): FastifySchemaValidationError[] {
  const message = `must be ${AGE_YEARS.min} to ${AGE_YEARS.max} years ago`;
  return births
    .filter(
      ([pointer, date]) =>
        typeof date === 'string' && !isOfAge(date, now) && !found.some((error) => error.instancePath === pointer),
    )
    .map(([instancePath]) => ({ keyword: 'age', instancePath, schemaPath: '', params: {}, message }));
}

/** The form without its blank text, at every level. */
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

/** Where a birth date is, and what is there. */
type Birth = [pointer: string, date: unknown];

type Check = (
  errors: (form: unknown) => FastifySchemaValidationError[],
  body: unknown,
) => { errors: FastifySchemaValidationError[]; form: unknown };

/** The birth dates in the form of a customer, by its type. */
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
