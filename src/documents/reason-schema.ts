// The schemas of document types and reasons, apart from the lists themselves, which the help reads without loading TypeBox.
import Type from 'typebox';
import { DOCUMENT_TYPES, REASONS } from './reason.ts';

export const DocumentTypeSchema = Type.Enum(DOCUMENT_TYPES, { title: 'DocumentType' });
export const ReasonSchema = Type.Enum(REASONS, { title: 'FailureReason' });
