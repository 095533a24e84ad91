// Shared parts of request schemas: text patterns, and the keyword for constraints that the operation checks itself.

/** Text without C0, DEL and C1. Uses \x escapes because ECMA-262, RE2 and Python's `re` agree on them, but not on \u or \p. */
export const NO_CONTROL_CHARACTERS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

/**
 * Option of every object in a request body, at every depth: unknown members are refused. Without it they are accepted and dropped,
 * and only near misses of known names are refused (http/near-misses.ts). test/bodies.test.ts lists the bodies without it.
 */
export const STRICT = { additionalProperties: false } as const;

/** Multi-line text. NUL is refused because PostgreSQL cannot store it. */
export const NO_NUL = '^[^\\x00]*$';

/**
 * Schema keyword for constraints that the operation checks itself, after other checks or with its own message.
 * The validator ignores it; the OpenAPI document merges the constraints into the schema.
 */
export const CHECKED_LATER = 'x-checked-later';
