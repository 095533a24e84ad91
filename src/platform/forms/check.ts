// Checks of forms: faults by schema, blank text and ages, reported together.
import type { FastifyRequest, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { TSchema } from 'typebox';
import { type Refusal, refuse } from '../../core/problems.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { toFault } from '../http/errors.ts';
import { openBodyCompiler, validatorOf } from '../http/schemas.ts';
import { AGE_YEARS } from './members.ts';

/** A form, and the faults that were found in it. */
export type Checked = { errors: FastifySchemaValidationError[]; form: unknown };

/** A JSON pointer and the value at it. */
export type Birth = [pointer: string, date: unknown];

/** Returns the validator compiler of a route whose body is validated by a check. Its schema only documents the body. */
export function checkedBy(check: (body: unknown) => Checked): FastifySchemaCompiler<TSchema> {
  return openBodyCompiler((body: unknown) => {
    const { errors, form } = check(body);
    return errors.length > 0 ? { error: errors } : { value: form };
  });
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

const memberErrors = validatorOf(Type.Object({}, STRICT));

/** Refuses a body with members, before the handler of an operation that takes none: whoever sends one expects an effect of it. */
export function requireNoMembers(request: FastifyRequest, _reply: unknown, done: (refusal?: Refusal) => void): void {
  const errors = memberErrors(request.body ?? {});
  done(errors.length > 0 ? refuse('badRequest', { faults: errors.map(toFault) }) : undefined);
}

/** Removes blank text at every level, except in metadata, which is stored as it is. */
export function withoutBlanks(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const given = Object.entries(value).filter(([, member]) => !isBlank(member));
  return Object.fromEntries(given.map(([name, member]) => [name, name === 'metadata' ? member : withoutBlanks(member)]));
}

/** Returns a form without the members that its schema does not have, at every level. */
export function knownMembers(schema: TSchema, value: unknown): unknown {
  const { properties } = schema as { properties?: Record<string, TSchema> };
  if (!properties || !isRecord(value)) return value;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(known.map(([name, member]) => [name, knownMembers(properties[name]!, member)]));
}

/** The refusal of a change without any of the members that can change. */
export function nothingGiven(members: readonly string[]): Refusal {
  const message = `The body must have at least one of ${members.join(', ')}.`;
  return refuse('badRequest', { faults: [{ code: 'Required', message, path: '' }] });
}

export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Whether a person born on a date (YYYY-MM-DD, UTC) is 18 to 125 years old. A person born on 29 February turns 18 on 1 March. */
export function isOfAge(dateOfBirth: string, now: Date): boolean {
  const yearsAgo = (years: number) => `${now.getUTCFullYear() - years}${now.toISOString().slice(4, 10)}`;
  return dateOfBirth <= yearsAgo(AGE_YEARS.min) && dateOfBirth > yearsAgo(AGE_YEARS.max + 1);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
