// The user error for document content that cannot be read.
import { UserError } from '../../../core/user-error.ts';

/** The store is not configured, does not respond, or has lost the content. The message is one line. */
export class StoreError extends UserError {}
