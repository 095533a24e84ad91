// The message after a review.
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { notice } from '../../../platform/pages/parts.ts';
import { findDocument } from '../../../resources/documents/document.ts';
import type { Service } from '../../service/service.ts';
import { REVIEW, TYPE_NAMES } from './type-name.ts';

/** What became of the document that the person reviewed before, with the way back to it. */
export async function lastReviewed({ database }: Pick<Service, 'database'>, id: string | null): Promise<Html> {
  const document = id !== null && isId(id) ? await findDocument(database.sql, id) : undefined;
  if (!document) return undefined;
  const { status, opinionId, type } = document;
  const outcome =
    opinionId !== null ? 'waits for a second reviewer' : status === 'pending' ? 'is back in the queue' : `is ${status}`;
  const link = html`<a href=${`${REVIEW}/${document.id}`}>${status === 'pending' ? 'Show it' : 'Review it again'}</a>`;
  return notice(html`<p>The ${TYPE_NAMES[type].toLowerCase()} ${outcome}. ${link}</p>`, opinionId === null ? 'good' : 'accent');
}
