// Messages of schema errors in request bodies: members that are not known, and values of the wrong type.
import type { FastifySchemaValidationError } from 'fastify';
import { nearestName } from '../../core/nearest-name.ts';

/** An error of the validator, with the part of the schema that refused. */
export type SchemaError = FastifySchemaValidationError & { parentSchema?: Schema };

type Schema = { type?: string; properties?: object; examples?: unknown[] };

/** Of a name that is not known, a message contains at most this many characters. */
const NAME_LENGTH = 100;
const TYPES: Record<string, string> = {
  boolean: 'true or false',
  integer: 'an integer',
  array: 'an array',
  object: 'an object',
};

/** `externalID is not known; did you mean externalId?` */
export function unknownMember({ params, parentSchema }: SchemaError): string {
  const name = String(params.additionalProperty);
  const known = Object.keys(parentSchema?.properties ?? {});
  if (known.length === 0) return `${name.slice(0, NAME_LENGTH)} is not known. There are no members.`;
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `. The known members are ${known.join(', ')}.` : `; did you mean ${nearest}?`;
  return `${name.slice(0, NAME_LENGTH)} is not known${hint}`;
}

/** `a string such as "10.00"` */
export function wantedType({ params, parentSchema }: SchemaError): string {
  const type = String(params.type);
  const [example] = parentSchema?.examples ?? [];
  return `${TYPES[type] ?? `a ${type}`}${example === undefined ? '' : ` such as ${JSON.stringify(example)}`}`;
}
