// The message after a review, with the way to take it back.
import { isId } from '../../../core/ids.ts';
import type { Config } from '../../../platform/config/config.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { icon, notice } from '../../../platform/pages/parts.ts';
import { type Document, findDocument } from '../../../resources/documents/document.ts';
import { findPending } from '../../../resources/documents/pending-decision.ts';
import { findRecord } from '../../../resources/documents/record.ts';
import type { Service } from '../../service/service.ts';
import { nameOf } from '../customer-name.ts';
import type { Visit } from '../screen.ts';
import { REVIEW } from './address.ts';
import { TYPE_NAMES } from './type-name.ts';

/** What became of the document that the person reviewed before. */
export async function lastReviewed(
  { config, database: { sql }, sealer }: Pick<Service, 'config' | 'database' | 'sealer'>,
  { query, person }: Pick<Visit, 'query' | 'person'>,
): Promise<Html> {
  const id = query.get('last');
  const document = id !== null && isId(id) ? await findDocument(sql, id) : undefined;
  if (!document) return undefined;
  const [pending, record] = await Promise.all([findPending(sql, document), findRecord(sql, sealer, document)]);
  const name = record ? nameOf({ firstName: record.firstName ?? '', lastName: record.lastName }) : 'an unknown person';
  const about = `${TYPE_NAMES[document.type]} of ${name}`;
  if (pending?.reviewer.id === person.id) return takeBackBar(config, document, pending, about);
  const { status, opinionId } = document;
  const outcome =
    opinionId !== null ? 'waits for a second reviewer' : status === 'pending' ? 'is back in the queue' : `is ${status}`;
  const link = html`<a href=${`${REVIEW}/${document.id}`}>${status === 'pending' ? 'Show it' : 'Review it again'}</a>`;
  return notice(html`<p>${about} ${outcome}. ${link}</p>`, opinionId === null ? 'good' : 'accent');
}

type Pending = NonNullable<Awaited<ReturnType<typeof findPending>>>;

/** The decision of the person on a document, which can still be taken back. */
export function takeBackBar(
  { reviewFourEyes }: Pick<Config, 'reviewFourEyes'>,
  { id, opinionId }: Document,
  { judgement: { decision }, until }: Pending,
  about: string,
): Html {
  const seconds = Math.max(0, Math.ceil((until.getTime() - Date.now()) / 1000));
  return html`<div class=${`notice notice-${decision === 'accepted' ? 'good' : 'bad'} take-back`} role="status">
    ${icon(decision === 'accepted' ? 'check-circle' : 'x-mark')}
    <p>
      <b>${decision === 'accepted' ? 'Accepted' : 'Rejected'}:</b> ${about}.
      ${reviewFourEyes && opinionId === null && 'A second reviewer has to agree.'}
      <span data-countdown=${seconds}>It can be taken back for ${seconds} seconds.</span>
    </p>
    <form method="post" action=${`${REVIEW}/${id}/take-back`}>
      <button class="button button-small" type="submit" data-key="u" aria-keyshortcuts="u">Take it back <kbd>u</kbd></button>
    </form>
  </div>`;
}
