// The correlation id: the caller's own identifier of a record, kept as given and searchable in lists.
import Type from 'typebox';

const MAX_LENGTH = 255;

export const CorrelationIdSchema = Type.String({
  minLength: 1,
  maxLength: MAX_LENGTH,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'An identifier of your own. Need not be unique.',
});

/** Member of a request that creates a record. */
export const correlated = { correlationId: Type.Optional(CorrelationIdSchema) };
