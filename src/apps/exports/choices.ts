// What can be exported, and in which formats.

export const EXPORTS = ['entries', 'transfers', 'balances'] as const;
export type ExportKind = (typeof EXPORTS)[number];

export const FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];
