// The formats of bank files, for commands: small, so that help does not load what reads them.

export const FILE_FORMATS = ['camt.053', 'bai2', 'mt940', 'ofx', 'csv'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const ENCODINGS = ['utf-8', 'iso-8859-1', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];
