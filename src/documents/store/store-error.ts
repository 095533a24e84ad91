// The content of a document cannot be read.
import { UserError } from '../../user-error.ts';

/** A document is kept in a store that is not configured, does not answer, or has lost it; one line that says which. */
export class StoreError extends UserError {}
