// What the schemas of requests share: patterns of text, and constraints that the OpenAPI document shows but the validator leaves to the operation.

/** Text without C0, DEL and C1. ECMA-262, RE2 and Python's `re` read these escapes alike; Unicode properties and \u they do not. */
export const NO_CONTROL_CHARACTERS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';

/** Text of several lines. No body may hold a NUL, as no database keeps it. */
export const NO_NUL = '^[^\\x00]*$';

/**
 * The keyword of a schema with constraints that the operation checks by itself: after other checks, or with a message of its own.
 * The validator ignores it; the OpenAPI document shows the constraints as those of the schema.
 */
export const CHECKED_LATER = 'x-checked-later';
