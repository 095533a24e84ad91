// The picture of a document: shown to reviewers only, each time with an entry in the audit log, and never stored by the browser.
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { emptyState, icon } from '../../../platform/pages/parts.ts';
import type { StoredResult } from '../../../resources/documents/checking/result.ts';
import { type Document, findDocument } from '../../../resources/documents/document.ts';
import { viewCopy } from '../../../resources/documents/view-copy.ts';
import type { Service } from '../../service/service.ts';
import type { Pages } from '../screen.ts';
import { REVIEW } from './address.ts';

export function addPicture(pages: Pages, { database, sealer, documents, clock }: Service): void {
  pages.file(`${REVIEW}/:id/picture`, 'reviewDocuments', async ({ params, person, place, audit }) => {
    const document = isId(params.id!) ? await findDocument(database.sql, params.id!) : undefined;
    if (!document) return undefined;
    await audit({ action: 'look_at_document', resource: { type: 'document', id: document.id } });
    const viewer = { kind: 'person', id: person.id, name: person.name, place } as const;
    const now = clock.now(document.accountId);
    const content = await viewCopy({ database, sealer, stores: documents.stores }, document, viewer, now);
    if (!content) return undefined;
    // A PDF is the file that was submitted, with its scripts: it is saved, not shown. So are the files of a chip.
    const ending = SAVED[document.mediaType];
    return { mediaType: document.mediaType, content, ...(ending && { name: `${document.id}.${ending}` }) };
  });
}

const SAVED: Partial<Record<Document['mediaType'], string>> = { 'application/pdf': 'pdf', 'application/json': 'json' };
const TURNS = 4;

/** The quarter turns that make the text upright that was read; 0 if nothing was. */
export function uprightTurn(results: Pick<StoredResult, 'reading'>[]): number {
  for (const { reading } of results) {
    const place = reading && 'places' in reading ? reading.places?.documentNumber : undefined;
    if (!place) continue;
    const [across, down] = [place.end[0] - place.start[0], place.end[1] - place.start[1]];
    return (TURNS - Math.round((Math.atan2(down, across) * 2) / Math.PI)) % TURNS;
  }
  return 0;
}

/** The picture with its controls, or what stands in its place. `turn`: quarter turns clockwise. */
export function viewer({ id, copyKey, mediaType, source }: Document, turn: number): Html {
  const href = `${REVIEW}/${id}/picture`;
  if (copyKey === null) {
    const text = 'Its content was erased. The decision and its history remain.';
    return html`<section class="card viewer">
      <h2 class="visually-hidden">Picture</h2>
      ${emptyState({ icon: 'no-symbol', title: 'The picture has been erased', text })}</section>`;
  }
  if (mediaType === 'application/pdf') {
    const action = html`<a class="button" href=${href} download>${icon('arrow-down-tray', 'small')}Save the PDF</a>`;
    const text = 'This is the submitted file. Open it in a program that disables scripts and links.';
    return html`<section class="card viewer">
      <h2 class="visually-hidden">Picture</h2>
      ${emptyState({ icon: 'document-text', title: 'A PDF', text, action })}</section>`;
  }
  if (mediaType === 'application/json') {
    const text = 'The document was submitted as the files of its chip, without a portrait.';
    const action = html`<a class="button" href=${href} download>${icon('arrow-down-tray', 'small')}Save the files</a>`;
    return html`<section class="card viewer">
      <h2 class="visually-hidden">Picture</h2>
      ${emptyState({ icon: 'cpu-chip', title: 'No portrait', text, action })}</section>`;
  }
  return html`<section class="card viewer" data-viewer data-turn=${turn === 0 ? undefined : turn}>
    <h2 class="visually-hidden">Picture</h2>
    <div class="viewer-box" tabindex="0" role="region" aria-label="The document, scrollable when enlarged">
      <div class="viewer-page"><img src=${href} alt=${source === 'chip' ? 'The portrait of the chip' : 'The submitted document'} /></div>
    </div>
    <div class="viewer-failed" hidden>
      ${emptyState({
        icon: 'exclamation-triangle',
        title: 'The picture could not be loaded',
        text: 'The document store may be away for a moment. Do not decide without the picture.',
        action: html`<a class="button" href=${`${REVIEW}/${id}`}>${icon('arrow-path', 'small')}Try again</a>`,
      })}
    </div>
    <div class="viewer-controls buttons needs-script">
      <button class="button button-small" type="button" data-view="zoom" aria-keyshortcuts="z">
        ${icon('magnifying-glass-plus', 'small')}Zoom <kbd>z</kbd>
      </button>
      <button class="button button-small" type="button" data-view="turn" aria-keyshortcuts="t">${icon('arrow-uturn-right', 'small')}Turn <kbd>t</kbd></button>
      <button class="button button-small" type="button" data-view="contrast" aria-pressed="false" aria-keyshortcuts="c">
        ${icon('adjustments-horizontal', 'small')}Contrast <kbd>c</kbd>
      </button>
    </div>
  </section>`;
}
