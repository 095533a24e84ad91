// The key of a form, which makes it work once, however often it is sent.
import { hash, randomUUID } from 'node:crypto';
import { refuse } from '../../core/problems.ts';
import { type Html, html } from '../../platform/pages/html.ts';

const FORM_KEY = /^[0-9a-f-]{36}$/;
const SHOWN_LENGTH = 12;

/** The hidden field of a new form. A form that leads to a confirmation has it too: then Back shows the confirmation with the same key. */
export function formKey(): Html {
  return html`<input type="hidden" name="key" value=${randomUUID()} />`;
}

/** The key in the address of a confirmation; a new one in an address that no form made. */
export function keyOf(query: URLSearchParams): string {
  const key = query.get('key') ?? '';
  return FORM_KEY.test(key) ? key : randomUUID();
}

/** The key that a form was sent with, and the part of its hash that the audit log shows. */
export function requireFormKey(form: URLSearchParams): { key: string; shown: string } {
  const key = form.get('key') ?? '';
  if (!FORM_KEY.test(key)) throw refuse('badRequest', { message: 'Open the form again.' });
  return { key, shown: hash('sha256', key).slice(0, SHOWN_LENGTH) };
}

/** The request that a form stands for, with its key. */
export function formRequest(url: string, { accountId, body, key }: { accountId: string; body: unknown; key: string }) {
  return { method: 'POST', url, headers: { 'idempotency-key': `console-${key}` }, body, caller: { accountId } };
}
