// Document types and rejection reasons. The first reason of a document in this order becomes its failureReason.
import type { Config } from '../../platform/config/config.ts';

export type DocumentType = (typeof DOCUMENT_TYPES)[number];
export type Reason = (typeof REASONS)[number];

export const DOCUMENT_TYPES = ['passport', 'license', 'idCard', 'other'] as const;

const DESCRIPTIONS = {
  ScanNotUploaded: 'Scan not uploaded',
  ScanIdTypeNotSupported: 'ID may be a military ID, firearm license, or other unsupported ID type',
  ScanNotReadable: 'Image blurry, too dark, or obscured by glare',
  ScanIdUnrecognized: 'ID is not recognized',
  ScanDobMismatch: 'Scan DOB does not match DOB on account',
  ScanNameMismatch: 'Scan name does not match name on account',
  ScanIdExpired: 'ID is expired or missing expiration date',
  ScanFailedOther: 'ID may be fraudulent or a generic example ID image',
  BusinessDocNotSupported: 'Business document not supported',
  BusinessNameMismatch: 'Business name on account does not match document',
  BusinessTypeMismatch: 'Business type chosen does not match document',
  ForeignPassportNotAllowed: "The passport's country of origin is not accepted",
} as const;

export const REASONS = Object.keys(DESCRIPTIONS) as [keyof typeof DESCRIPTIONS, ...(keyof typeof DESCRIPTIONS)[]];

const BUSINESS: readonly Reason[] = ['BusinessDocNotSupported', 'BusinessNameMismatch', 'BusinessTypeMismatch'];

/** Whether a reason applies to documents of a type. */
export function isReasonFor(reason: Reason, type: DocumentType, { foreignPassports }: Pick<Config, 'foreignPassports'>): boolean {
  if (BUSINESS.includes(reason)) return type === 'other';
  if (reason === 'ForeignPassportNotAllowed') return type === 'passport' && foreignPassports === 'forbidden';
  return true;
}

/** Sorts reasons by precedence and removes duplicates. */
export function byPrecedence(reasons: readonly Reason[]): Reason[] {
  return REASONS.filter((reason) => reasons.includes(reason));
}

export function describe(reason: Reason): { reason: Reason; description: string } {
  return { reason, description: DESCRIPTIONS[reason] };
}
