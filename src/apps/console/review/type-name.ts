// Names of document types for people.
import type { DocumentType } from '../../../resources/documents/reason.ts';

export const TYPE_NAMES: Record<DocumentType, string> = {
  passport: 'Passport',
  license: 'Driving licence',
  idCard: 'Identity card',
  other: 'Other document',
};
