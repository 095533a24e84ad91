// What a reviewer compares the picture with: field by field, the person on record and what automatic checking read.
import type { Place, Reading } from '../../../../packages/document-reader/src/reading.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, icon } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import {
  describeFindings,
  FIELD_LABELS,
  HIDDEN,
  LIKENESS_TEXTS,
  type ShownFinding,
} from '../../../resources/documents/checking/finding.ts';
import type { StoredResult } from '../../../resources/documents/checking/result.ts';
import {
  type Evidence,
  LEVEL_TEXTS,
  PART_LABELS,
  type Part,
  type ShownHint,
} from '../../../resources/documents/evidence/evidence.ts';
import { REVIEW } from './address.ts';
import type { Shown } from './shown.ts';

const RESULT_TONES = { same: 'good', different: 'bad', unclear: 'warn' } as const;
/** Words for what has no counterpart on record. */
const RESULT_WORDS: Partial<Record<ShownFinding['field'], Partial<Record<ShownFinding['result'], string>>>> = {
  document: { same: 'read' },
  quality: { different: 'not readable' },
  expires: { same: 'not expired', different: 'expired' },
};
/** Fields that are behind a click. */
const SEALED_FIELDS = ['dateOfBirth', 'documentNumber'];
const LEVEL_TONES = { none: 'neutral', text: 'warn', document: 'neutral', chip: 'good' } as const;
const PART_TONES = { holds: 'good', fails: 'bad', unknown: 'neutral' } as const;
const PROPOSAL_TONES = { accepted: 'good', rejected: 'bad', undecided: 'neutral' } as const;

export function evidence(shown: Shown, { reveal }: { reveal: boolean }): Html {
  const [first, ...others] = shown.results;
  return html`<div data-evidence tabindex="-1">
    ${comparison(shown, first, { reveal })} ${evidenceCard(shown.document.evidence)} ${others.map((result) => resultCard(shown, result, { reveal }))}
  </div>`;
}

/** What the document proves, part by part. */
function evidenceCard(evidence: Evidence | null): Html {
  if (!evidence) return undefined;
  const { level, parts, hints = [] } = evidence;
  return card(
    { title: 'Evidence', lead: LEVEL_TEXTS[level], actions: badge(level, LEVEL_TONES[level]) },
    html`<ul class="findings">${parts.map(partOf)}</ul>
      ${hints.map(hintOf)}`,
  );
}

/** A hint is in words only: it has no tone, because it says neither good nor bad. */
function hintOf({ text }: ShownHint): Html {
  return html`<p class="small">${badge('hint', 'neutral')} ${text} <span class="muted">This proves nothing.</span></p>`;
}

function partOf({ name, result, text }: Part): Html {
  return html`<li>
    <div class="finding-head"><b>${PART_LABELS[name]}</b>${badge(result, PART_TONES[result])}</div>
    <p class="muted small">${text}</p>
  </li>`;
}

type Row = { label: string; record: Html; finding?: ShownFinding | undefined; place?: Place | undefined };

/** The fields of the person with what was read beside them. */
function comparison(shown: Shown, result: StoredResult | undefined, { reveal }: { reveal: boolean }): Html {
  const { record, document } = shown;
  const findings = result ? describeFindings(result, record, { reveal }) : [];
  const rows = rowsOf(shown, findings, { reveal, reading: result?.reading });
  const remarks = findings.filter((finding) => !rows.some((row) => row.finding === finding));
  const hasSealed = record?.dateOfBirth !== undefined || record?.passportNumber !== undefined;
  const button = html`<form method="post" action=${`${REVIEW}/${document.id}/reveal`} data-reveal>
    <button class="button button-small" type="submit" data-key="v" aria-keyshortcuts="v">${icon('eye', 'small')}Show hidden values <kbd>v</kbd></button>
  </form>`;
  return card(
    {
      title: 'Compare',
      lead: result ? leadOf(result) : html`Received ${time(document.created)}. Nothing was read automatically.`,
      ...(!reveal && (hasSealed || document.copyKey !== null) && { actions: button }),
    },
    html`${result && proposalOf(result, document.evidence)}
      <ul class="findings">${rows.map(rowOf)} ${remarks.map(findingOf)}</ul>`,
  );
}

function rowsOf(
  { record, customer, document }: Shown,
  findings: ShownFinding[],
  { reveal, reading }: { reveal: boolean; reading: Reading | undefined },
): Row[] {
  const sealed = (value: string | undefined) =>
    value && html`<span class=${reveal ? 'mono' : 'muted'}>${reveal ? value : HIDDEN}</span>`;
  const places = reading && 'places' in reading ? reading.places : undefined;
  const of = (label: string, value: Html, field: keyof NonNullable<typeof places>): Row => {
    const isHidden = !reveal && SEALED_FIELDS.includes(field);
    const finding = findings.find((finding) => finding.field === field);
    return { label, record: value, finding, place: isHidden ? undefined : places?.[field] };
  };
  const profile = document.type === 'other' ? customer?.profile : undefined;
  return [
    of('Last name', record?.lastName, 'surname'),
    of('First name', record?.firstName, 'givenNames'),
    of('Date of birth', sealed(record?.dateOfBirth), 'dateOfBirth'),
    of('Passport number', sealed(record?.passportNumber), 'documentNumber'),
    of('Expiry', undefined, 'expires'),
    of('Issuer', undefined, 'issuer'),
    { label: 'Business', record: profile?.businessName },
    { label: 'Business type', record: profile?.businessType },
  ].filter(({ record, finding }) => record || finding);
}

/** What was read is shown beside the record where it is not the same. */
function rowOf({ label, record, finding, place }: Row): Html {
  const read = finding && finding.read !== '' && html`<span class="mono">${finding.read}</span>`;
  const isSame = finding?.result === 'same';
  return html`<li>
    <div class="compared"><span class="muted small">${label}</span><span>${record || read}</span>${finding && badge(wordOf(finding), RESULT_TONES[finding.result])}</div>
    ${record && read && !isSame && html`<div class="compared"><span class="muted small">read</span>${read}</div>`}
    ${place && html`<canvas class="crop" data-crop=${[...place.start, ...place.end, place.characters].join(' ')} aria-hidden="true"></canvas>`}
    ${finding && !isSame && html`<p class="muted small">${finding.text}</p>`}
  </li>`;
}

function wordOf({ field, result }: ShownFinding): string {
  return RESULT_WORDS[field]?.[result] ?? (result === 'same' ? 'matches' : result);
}

function leadOf({ checker, version, created, reference }: StoredResult): Html {
  return html`${checker} ${version}, ${time(created)}${reference !== undefined && `, reference ${reference}`}`;
}

/** The card of the evidence may be below the end of a small window. */
function proposalOf({ proposal, reasons, likenesses = [] }: StoredResult, evidence?: Evidence | null): Html {
  const { level, hints = [] } = evidence ?? {};
  return html`<p class="proposal">
      ${badge(proposal === 'undecided' ? 'no proposal' : `would be ${proposal}`, PROPOSAL_TONES[proposal])}
      ${level && badge(`evidence: ${level}`, LEVEL_TONES[level])}
      ${hints.length > 0 && badge(`hints: ${hints.length}`, 'neutral')}
      ${reasons.length > 0 && html`<span class="small">${reasons.join(', ')}</span>`}
    </p>
    ${likenesses.map(
      ({ kind, documentId }) => html`<p class="finding-alarm">
        ${icon('exclamation-triangle', 'small')}
        <span>${LIKENESS_TEXTS[kind]} was submitted for another person: <a href=${`${REVIEW}/${documentId}`}>show that document</a></span>
      </p>`,
    )}`;
}

function resultCard({ record }: Shown, result: StoredResult, { reveal }: { reveal: boolean }): Html {
  const findings = describeFindings(result, record, { reveal });
  return card(
    { title: 'Read automatically', lead: leadOf(result) },
    html`${proposalOf(result)}
      ${findings.length === 0 ? html`<p class="muted">No findings.</p>` : html`<ul class="findings">${findings.map(findingOf)}</ul>`}`,
  );
}

function findingOf(finding: ShownFinding): Html {
  const { field, result, text, read, onRecord } = finding;
  const isShown = read !== '' && field !== 'document';
  return html`<li>
    <div class="finding-head"><b>${FIELD_LABELS[field]}</b>${badge(wordOf(finding), RESULT_TONES[result])}</div>
    ${isShown && html`<div class="finding-values"><span class="mono">${read}</span>${onRecord !== '' && onRecord !== HIDDEN && html`<span class="muted">on record ${onRecord}</span>`}</div>`}
    <p class="muted small">${text}</p>
  </li>`;
}
