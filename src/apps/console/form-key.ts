// The key of a form, which makes it work once, however often it is sent.
import { hash, randomUUID } from 'node:crypto';
import { derivedId, isId, randomBucket, timeOf } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { type Html, html } from '../../platform/pages/html.ts';

/** What a form did is found by its key for at least twice as long: IDEMPOTENCY_TTL_HOURS is 24 or more. */
const FORM_HOURS = 12;
const HOUR_MS = 3_600_000;
const SHOWN_LENGTH = 12;

/**
 * The hidden field of a new form. A form that leads to a confirmation has it too: then Back shows the confirmation with the same key.
 * `now`: by the clock of the account, by which keys expire.
 */
export function formKey(now: Date): Html {
  return html`<input type="hidden" name="key" value=${newKey(now)} />`;
}

/** The key in the address of a confirmation; a new one in an address that no form made. */
export function keyOf(query: URLSearchParams, now: Date): string {
  const key = query.get('key') ?? '';
  return isId(key) ? key : newKey(now);
}

/** A key begins with its time. */
function newKey(now: Date): string {
  return derivedId(randomBucket(), now, randomUUID());
}

/** The key that a form was sent with, and the part of its hash that the audit log shows. Refuses a form that was opened long ago. */
export function requireFormKey(form: URLSearchParams, now: Date): { key: string; shown: string } {
  const key = form.get('key') ?? '';
  if (!isId(key) || Math.abs(now.getTime() - timeOf(key).getTime()) > FORM_HOURS * HOUR_MS)
    throw refuse('badRequest', { message: `Open the form again. It works for ${FORM_HOURS} hours.` });
  return { key, shown: hash('sha256', key).slice(0, SHOWN_LENGTH) };
}

/** The request that a form stands for, with its key. */
export function formRequest(url: string, { accountId, body, key }: { accountId: string; body: unknown; key: string }) {
  return { method: 'POST', url, headers: { 'idempotency-key': `console-${key}` }, body, caller: { accountId } };
}
