// Texts that a refusal must not have: names of members in place of words, and wording of the validator.

/** Matches what the schema validator or a careless sentence leaves in a message. */
export const UNCLEAR =
  /\b(Ssn|Ein|Url|Ip|Href)\b|\ba (integer|object|array)\b|must NOT|must match|must be (equal|passed)|[<>]=|\bundefined\b|\bone text\b|whole number|is more than is not/;

/** The messages of an error body. */
export function messagesOf(body: unknown): string[] {
  const { message, _embedded } = (body ?? {}) as { message?: unknown; _embedded?: { errors?: { message: string }[] } };
  const embedded = Array.isArray(_embedded?.errors) ? _embedded.errors.map((error) => error.message) : [];
  return [...(typeof message === 'string' ? [message] : []), ...embedded];
}
