// The formats of a statement.

export const STATEMENT_FORMATS = ['hal', 'csv', 'pdf'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];
