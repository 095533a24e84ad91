// The correlation id: the caller's own identifier of a record, kept as given and searchable in lists.
import Type from 'typebox';
import { NO_CONTROL_CHARACTERS } from '../schema.ts';

const MAX_LENGTH = 255;

export const CorrelationIdSchema = Type.String({
  minLength: 1,
  maxLength: MAX_LENGTH,
  pattern: NO_CONTROL_CHARACTERS,
  description: 'An identifier of your own. Need not be unique.',
});

/** Member of a request that creates a record. */
export const correlated = { correlationId: Type.Optional(CorrelationIdSchema) };
