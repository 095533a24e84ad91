// The package @earmark/document-reader.
export { PROCESS_OPTIONS } from './process-options.ts';
export { readPicture, warmUp } from './read-picture.ts';
export type { Read, Reading, Unread } from './reading.ts';
export {
  type Check,
  type Confidence,
  type DocumentType,
  type Fault,
  type Fields,
  HINTS,
  type Hint,
  type Presence,
  type Quality,
  READER,
  showsDocument,
} from './reading.ts';
