// What the rules of the ledger find.

/** A row that breaks a rule of the ledger. `id` is the id of the record that the rule concerns. */
export type Breach = { bucket: number; id: string; detail: string };
