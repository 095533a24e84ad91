// Correlation ids: the client's identifier of a record, stored unchanged and searchable in lists.
import { NO_CONTROL_CHARACTERS } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';

const MAX_LENGTH = 255;

const CorrelationIdSchema = Type.String({
  minLength: 1,
  maxLength: MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: 'Your identifier of the record. It does not have to be unique.',
});

/** The member of requests that create a record. */
export const correlated = { correlationId: Type.Optional(CorrelationIdSchema) };
