// Documents of a person as a table, with the reasons of rejections.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Document } from '../../../resources/documents/document.ts';
import { describe } from '../../../resources/documents/reason.ts';

const DOCUMENT_TONES = { accepted: 'good', rejected: 'bad', pending: 'warn' } as const;

export function documentCard(documents: Document[], { mayReview, whose }: { mayReview: boolean; whose: string }): Html {
  const columns = [{ label: 'Document' }, { label: 'Status' }, { label: 'Received' }];
  const rows = documents.map(({ id, type, status, reasons, created }) => [
    mayReview ? html`<a href=${`/console/review/${id}`}>${type}</a>` : type,
    html`${badge(status, DOCUMENT_TONES[status])} ${reasons?.map((reason) => html`<div class="small muted">${describe(reason).description}</div>`)}`,
    time(created),
  ]);
  return card(
    { title: 'Documents', isBare: true },
    rows.length > 0
      ? table({ caption: 'Documents', columns, rows })
      : emptyState({ icon: 'document-text', title: 'No documents', text: `This ${whose} has sent none.` }),
  );
}
