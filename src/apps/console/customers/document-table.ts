// Documents of a person as a table, with the reasons of rejections.
import { dayOfZone } from '../../../core/zone.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Document } from '../../../resources/documents/document.ts';
import { describe } from '../../../resources/documents/reason.ts';
import { DECIDED, REVIEW } from '../review/address.ts';

const DOCUMENT_TONES = { accepted: 'good', rejected: 'bad', pending: 'warn' } as const;

type Shown = { mayReview: boolean; whose: string; name: string; zone: string };

/** `name`: finds what was decided. */
export function documentCard(documents: Document[], { mayReview, whose, name, zone }: Shown): Html {
  const columns = [{ label: 'Document' }, { label: 'Status' }, { label: 'Received' }];
  const rows = documents.map(({ id, type, status, reasons, created }) => [
    mayReview ? html`<a href=${`${REVIEW}/${id}`}>${type}</a>` : type,
    html`${badge(status, DOCUMENT_TONES[status])} ${reasons?.map((reason) => html`<div class="small muted">${describe(reason).description}</div>`)}`,
    time(created),
  ]);
  const since = dayOfZone(zone)(documents.reduce((first, { created }) => (created < first ? created : first), new Date()));
  return card(
    {
      title: 'Documents',
      actions:
        mayReview &&
        documents.length > 0 &&
        html`<a href=${`${DECIDED}?${new URLSearchParams({ name, from: since })}`}>Decided</a>`,
      isBare: true,
    },
    rows.length > 0
      ? table({ caption: 'Documents', columns, rows })
      : emptyState({
          icon: 'document-text',
          title: 'No documents',
          text: `Passports and papers of this ${whose} appear here when the application of the account submits them.`,
        }),
  );
}
