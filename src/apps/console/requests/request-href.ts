// What every screen needs that makes changes: who makes them, and where a change is shown that waits for a second person.
import type { Visit } from '../screen.ts';

export const REQUESTS = '/console/people/requests';

export function actorOf({ person, place }: Visit) {
  return { operatorId: person.id, name: person.name, place };
}

/** The page of a new request. */
export function requestHref(id: string): string {
  return `${REQUESTS}/${id}?done=asked`;
}
