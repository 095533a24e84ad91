// Who a command acts for: the user of this machine.
import { hostname, userInfo } from 'node:os';
import { type Actor, COMMAND_LINE } from '../../ledger/audit/audit.ts';
import type { Reviewer } from '../../resources/documents/review.ts';

/** As the audit log names them. */
export function commandLineActor(): Actor {
  return { operatorId: null, name: `${userInfo().username} ${COMMAND_LINE}`, place: hostname() };
}

/** As the history of a document names them. */
export function commandLineReviewer() {
  return { kind: 'person', name: userInfo().username, place: hostname() } satisfies Reviewer;
}
