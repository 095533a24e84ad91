// Schemas of document types and reasons, separate from reason.ts so that the CLI help does not load TypeBox.
import { Type } from '../../core/type.ts';
import { DOCUMENT_TYPES, REASONS } from './reason.ts';

export const DocumentTypeSchema = Type.Enum(DOCUMENT_TYPES, { title: 'DocumentType' });
export const ReasonSchema = Type.Enum(REASONS, { title: 'FailureReason' });
