// External ids and metadata: the client's own id and data of a record. Of one kind and customer, no two records have the same external id.
import type { Resource } from '../../core/ids.ts';
import { type Refusal, refuse } from '../../core/problems.ts';
import { NO_NUL } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';

export type Metadata = Record<string, string>;

const EXTERNAL_ID_LENGTH = 255;
const METADATA = { pairs: 20, keyLength: 40, valueLength: 500 };

/** Also the filter of lists. */
export const ExternalId = Type.String({
  minLength: 1,
  maxLength: EXTERNAL_ID_LENGTH,
  pattern: '^[!-~]*$',
  description: 'Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same.',
});

export const MetadataSchema = Type.Unsafe<Metadata>({
  type: 'object',
  maxProperties: METADATA.pairs,
  propertyNames: { pattern: `^[A-Za-z0-9_.-]{1,${METADATA.keyLength}}$` },
  additionalProperties: { type: 'string', maxLength: METADATA.valueLength },
  description: `Your own data: up to ${METADATA.pairs} pairs. Keys have 1 to ${METADATA.keyLength} characters of A-Z, a-z, 0-9, _, . and -.`,
});

const FILTER_PAIRS = 3;

/** The filter of lists: `metadata[key]=value`. */
export const MetadataFilter = Type.Unsafe<Metadata>({
  ...MetadataSchema,
  // Bodies have no NUL anyway.
  additionalProperties: { type: 'string', maxLength: METADATA.valueLength, pattern: NO_NUL },
  minProperties: 1,
  maxProperties: FILTER_PAIRS,
  description: `Pairs of the metadata, each as metadata[key]=value: 1 to ${FILTER_PAIRS}, which must all be there.`,
});

/** The parameters of the filter, as links repeat them. */
export function metadataParameters(metadata: Metadata | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`metadata[${key}]`, value]));
}

/** The members of requests that create a record, and of its representation. */
export const external = { externalId: Type.Optional(ExternalId), metadata: Type.Optional(MetadataSchema) };

/** The members of a representation, from the columns of a row. */
export function representExternal({ externalId, metadata }: { externalId: string | null; metadata: Metadata | null }) {
  return { ...(externalId !== null && { externalId }), ...(metadata !== null && { metadata }) };
}

/** The refusal of an external id that a record has already. */
export function externalIdTaken(about: Resource): Refusal {
  return refuse('externalIdTaken', { about });
}
