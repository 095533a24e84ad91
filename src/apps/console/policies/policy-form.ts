// The form of a policy: what is enough to accept, what is rejected, the sample, the limit of a day, and why.
import { invalid } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { field } from '../../../platform/pages/parts.ts';
import { ACCEPT_TEXTS, ACCEPTS, REJECTS } from '../../../resources/documents/policy/choices.ts';
import type { Policy } from '../../../resources/documents/policy/policy.ts';

type Given = Omit<Policy, 'version'> & { reason: string };

const REASON_LENGTH = 500;
const PER_DAY_MAX = 1_000_000;
/** The choices of what is rejected, by how many of REJECTS they have. */
const REJECT_LABELS = ['nothing', 'expired documents', 'expired documents, and other proven faults'];

export function policyForm(action: string, { accept, reject, sample, perDay }: Policy): Html {
  return html`<form method="post" action=${action}>
    <fieldset class="field">
      <legend class="label">Evidence that is enough to accept</legend>
      ${ACCEPTS.map(
        (level) => html`<label class="choice">
          <input type="radio" name="accept" value=${level} checked=${level === accept} />
          <span><b>${level}</b> <span class="muted small">${ACCEPT_TEXTS[level]}</span></span>
        </label>`,
      )}
    </fieldset>
    ${field(
      { id: 'reject', label: 'Reject without a person' },
      html`<select class="input" id="reject" name="reject">
        ${REJECT_LABELS.map((label, count) => html`<option value=${String(count)} selected=${count === reject.length}>${label}</option>`)}
      </select>`,
    )}
    ${field(
      { id: 'sample', label: 'Sample in percent', hint: 'The share of acceptances that goes to a person instead.' },
      html`<input class="input" id="sample" name="sample" inputmode="numeric" required value=${String(sample)} aria-describedby="sample-hint" />`,
    )}
    ${field(
      { id: 'per-day', label: 'Acceptances a day', hint: 'Empty for no limit.' },
      html`<input class="input" id="per-day" name="per-day" inputmode="numeric" value=${perDay === null ? '' : String(perDay)} aria-describedby="per-day-hint" />`,
    )}
    ${field(
      { id: 'reason', label: 'Why', hint: 'Kept with the policy and in the audit log.' },
      html`<input class="input" id="reason" name="reason" required maxlength=${REASON_LENGTH} autocomplete="off" aria-describedby="reason-hint" />`,
    )}
    <button class="button button-primary" type="submit">Set the policy</button>
  </form>`;
}

/** Refuses with ValidationError. */
export function readPolicyForm(form: URLSearchParams): Given {
  const accept = ACCEPTS.find((level) => level === form.get('accept'));
  const count = Number(form.get('reject'));
  const reason = form.get('reason')?.trim() ?? '';
  if (!accept) throw fault('accept', 'Choose the evidence that is enough.');
  if (!(count in REJECT_LABELS)) throw fault('reject', 'Choose what is rejected.');
  if (reason === '' || reason.length > REASON_LENGTH) throw fault('reason', `Say why, in at most ${REASON_LENGTH} characters.`);
  const perDay = form.get('per-day')?.trim() ?? '';
  return {
    accept,
    reject: REJECTS.slice(0, count),
    sample: readNumber(form.get('sample') ?? '', { name: 'sample', max: 100 }),
    perDay: perDay === '' ? null : readNumber(perDay, { name: 'per-day', max: PER_DAY_MAX }),
    reason,
  };
}

function readNumber(given: string, { name, max }: { name: string; max: number }): number {
  const number = Number(given);
  if (!/^\d+$/.test(given.trim()) || number > max) throw fault(name, `Give a whole number from 0 to ${max}.`);
  return number;
}

function fault(name: string, message: string) {
  return invalid({ code: 'Invalid', message, path: `/${name}` });
}
