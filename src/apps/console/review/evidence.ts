// What a reviewer compares the picture with: the person on record, and what automatic checking read.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, icon, time } from '../../../platform/pages/parts.ts';
import { describeFindings, FIELD_LABELS, HIDDEN, type ShownFinding } from '../../../resources/documents/checking/finding.ts';
import type { StoredResult } from '../../../resources/documents/checking/result.ts';
import type { Shown } from './shown.ts';
import { REVIEW } from './type-name.ts';

const RESULT_TONES = { same: 'good', different: 'bad', unclear: 'warn' } as const;
/** Words for what has no counterpart on record. */
const RESULT_WORDS: Partial<Record<ShownFinding['field'], Partial<Record<ShownFinding['result'], string>>>> = {
  document: { same: 'complete' },
  quality: { different: 'not readable' },
  expires: { same: 'valid', different: 'expired' },
};
const PROPOSAL_TONES = { accepted: 'good', rejected: 'bad', undecided: 'neutral' } as const;

export function evidence(shown: Shown, { reveal }: { reveal: boolean }): Html {
  return html`<div data-evidence tabindex="-1">${recordCard(shown, { reveal })} ${shown.results.map((result) => resultCard(shown, result, { reveal }))}</div>`;
}

function recordCard({ record, customer, document }: Shown, { reveal }: { reveal: boolean }): Html {
  const profile = document.type === 'other' ? customer?.profile : undefined;
  const sealed = (value: string | undefined) =>
    value && html`<span class=${reveal ? 'mono' : 'muted'}>${reveal ? value : HIDDEN}</span>`;
  const facts: [string, Html][] = [
    ['First name', record?.firstName],
    ['Last name', record?.lastName],
    ['Date of birth', sealed(record?.dateOfBirth)],
    ['Passport number', sealed(record?.passportNumber)],
    ['Business', profile?.businessName],
    ['Business type', profile?.businessType],
    ['Received', time(document.created)],
  ];
  const hasSealed = record?.dateOfBirth !== undefined || record?.passportNumber !== undefined;
  const button = html`<form method="post" action=${`${REVIEW}/${document.id}/reveal`} data-reveal>
    <button class="button button-small" type="submit">${icon('eye', 'small')}Show hidden values</button>
  </form>`;
  return card(
    {
      title: 'On record',
      ...(!reveal && (hasSealed || document.copyKey !== null) && { actions: button }),
    },
    html`<dl class="facts">${facts.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`,
  );
}

function resultCard({ record }: Shown, result: StoredResult, { reveal }: { reveal: boolean }): Html {
  const { checker, version, created, proposal, reasons, likenesses = [], reference } = result;
  const findings = describeFindings(result, record, { reveal });
  return card(
    {
      title: 'Read automatically',
      lead: html`${checker} ${version}, ${time(created)}${reference !== undefined && `, reference ${reference}`}`,
      actions: badge(proposal === 'undecided' ? 'no proposal' : `would be ${proposal}`, PROPOSAL_TONES[proposal]),
    },
    html`${reasons.length > 0 && html`<p>${reasons.join(', ')}</p>`}
      ${likenesses.map(
        ({ kind, documentId }) => html`<p class="finding-alarm">
          ${icon('exclamation-triangle', 'small')}
          <span>The same ${kind} was submitted for another person: <a href=${`${REVIEW}/${documentId}`}>show that document</a></span>
        </p>`,
      )}
      ${findings.length === 0 ? html`<p class="muted">No findings.</p>` : html`<ul class="findings">${findings.map(findingOf)}</ul>`}`,
  );
}

function findingOf({ field, result, text, read, onRecord }: ShownFinding): Html {
  const isShown = read !== '' && field !== 'document';
  return html`<li>
    <div class="finding-head"><b>${FIELD_LABELS[field]}</b>${badge(RESULT_WORDS[field]?.[result] ?? result, RESULT_TONES[result])}</div>
    ${isShown && html`<div class="finding-values"><span class="mono">${read}</span>${onRecord !== '' && onRecord !== HIDDEN && html`<span class="muted">on record ${onRecord}</span>`}</div>`}
    <p class="muted small">${text}</p>
  </li>`;
}
