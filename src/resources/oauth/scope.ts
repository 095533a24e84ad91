// What the tokens of an application may do, and what they can be bound to. Without imports, so that the help of commands can list both.

/** The scopes of tokens. `funds`: record deposits and withdrawals; `review`: decide on documents. */
export const SCOPES = ['read', 'write', 'funds', 'review'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token can be bound to: a key that signs proofs (RFC 9449), or a client certificate (RFC 8705). */
export const BINDINGS = ['dpop', 'certificate'] as const;
export type RequiredBinding = (typeof BINDINGS)[number];
