// Gives an application keys, their address or an issuer to trust, and takes them away after a question.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { KeyEdit } from '../../../resources/change-requests/change.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import type { NewTerms } from '../../../resources/oauth/application-key.ts';
import type { Service } from '../../service/service.ts';
import { question } from '../question.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages, Visit } from '../screen.ts';
import { hasKeys, nameOfKey } from './access-card.ts';
import { findApplication, useOf } from './application-state.ts';
import {
  addressField,
  isPrivateField,
  keysField,
  readAddressField,
  readKeysField,
  readTrustFields,
  trustFields,
} from './key-fields.ts';

const HREF = '/console/applications';
const PERMISSION = 'manageApplications';

type KeyForm = {
  path: 'add' | 'address' | 'trust';
  title: (name: string) => string;
  verb: string;
  /** What the form replaces, in a sentence. */
  replaced: (report: ApplicationReport) => string | undefined;
  fields: (report: ApplicationReport) => Html;
  read: (form: URLSearchParams) => NewTerms | KeyEdit;
};

const FORMS: KeyForm[] = [
  {
    path: 'add',
    title: (name) => `Add a key to ${name}`,
    verb: 'Add the key',
    replaced: ({ keys, jwksUri, trust }) =>
      keys.length > 0 || !(jwksUri ?? trust)
        ? undefined
        : `It replaces ${jwksUri ?? trust!.issuer}, which is not asked any more.`,
    fields: ({ keys }) => keysField({ hint: keys.length > 0 ? 'The present key stays, so that no call fails meanwhile.' : '' }),
    read: (form) => ({ add: readKeysField(form) }),
  },
  {
    path: 'address',
    title: (name) => `Keys of ${name} at an address`,
    verb: 'Use the address',
    replaced: (report) => (hasKeys(report) && report.jwksUri === null ? replacedText(report) : undefined),
    fields: ({ jwksUri }) => addressField(jwksUri ?? ''),
    read: (form) => ({ jwksUri: readAddressField(form) }),
  },
  {
    path: 'trust',
    title: (name) => `Trust an issuer for ${name}`,
    verb: 'Trust the issuer',
    replaced: (report) => (hasKeys(report) && report.trust === null ? replacedText(report) : undefined),
    fields: ({ trust }) =>
      html`${trustFields(trust ?? undefined)}
      ${keysField({ label: 'Keys of the issuer (optional)', hint: 'Only if this service cannot reach the issuer.' })}`,
    read: (form) => ({
      trust: readTrustFields(form),
      ...(form.get('keys')?.trim() && { keys: readKeysField(form) }),
    }),
  },
];

export function addKeyChanges(pages: Pages, service: Service): void {
  for (const form of FORMS) addKeyForm(pages, service, form);
  addRemoval(pages, service);
}

/** Changes how an application authenticates. Returns the page to show next. */
export async function secure(service: Service, visit: Visit, terms: NewTerms | KeyEdit, done: string): Promise<string> {
  const applicationId = visit.params.id!;
  const made = await makeChange(service, actorOf(visit), { kind: 'secure_application', applicationId, terms });
  return made.waits === undefined ? `${HREF}/${made.id}?done=${done}` : requestHref(made.waits);
}

function addKeyForm(pages: Pages, service: Service, { path, title, verb, replaced, fields, read }: KeyForm): void {
  const url = `${HREF}/:id/keys/${path}`;
  pages.page(url, PERMISSION, async ({ params }) => {
    const report = await findApplication(service, params.id!);
    if (!report) return undefined;
    const href = `${HREF}/${report.id}`;
    const warning = replaced(report);
    return {
      title: title(report.name),
      main: html`${pageHeader({ title: title(report.name), back: { href, label: report.name } })}
        <div class="narrow">
          ${warning && notice(html`<p>${warning}</p>`, 'warn')}
          ${card(
            { title: path === 'trust' ? 'Tokens of a workload' : 'Public keys' },
            html`<form method="post" action=${`${href}/keys/${path}`}>
              ${fields(report)}
              <div class="buttons">
                <button class="button button-primary" type="submit">${verb}</button>
                <a class="button" href=${href}>Cancel</a>
              </div>
            </form>`,
          )}
        </div>`,
    };
  });
  const change = (visit: Visit, form: URLSearchParams) => secure(service, visit, read(form), 'keys-changed');
  pages.action(url, PERMISSION, change, { from: url, isPrivate: isPrivateField });
}

/** `?key=`: the thumbprint of a stored key. Without it, the address or the issuer. */
function addRemoval(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/keys/remove`, PERMISSION, async ({ params, query }) => {
    const report = await findApplication(service, params.id!);
    const thumbprint = query.get('key');
    const key = report?.keys.find((one) => one.thumbprint === thumbprint);
    if (!report || (thumbprint === null ? report.keys.length > 0 || !hasKeys(report) : !key)) return undefined;
    const what = key ? `the key ${nameOfKey(key)}` : report.trust ? 'the trusted issuer' : 'the address of the keys';
    const used = key ? key.lastUsed : report.keyUsed;
    const shown: [string, Html] = key
      ? ['Thumbprint', html`<code class="break">${key.thumbprint}</code>`]
      : ['Address', html`<span class="break">${report.jwksUri ?? report.trust?.issuer}</span>`];
    return question({
      title: `Remove ${what} of ${report.name}?`,
      back: { href: `${HREF}/${report.id}`, label: report.name },
      effect: effectOf(report),
      facts: [shown, ['Last used', used ? time(used) : 'never'], ...(await useOf(service, report.id))],
      action: `${HREF}/${report.id}/keys/remove`,
      ...(key && { hidden: { key: key.thumbprint } }),
      verb: key ? 'Remove the key' : report.trust ? 'Trust it no more' : 'Remove the address',
    });
  });
  pages.action(`${HREF}/:id/keys/remove`, PERMISSION, (visit, form) => {
    const thumbprint = form.get('key');
    return secure(service, visit, thumbprint === null ? { keys: null } : { remove: thumbprint }, 'key-removed');
  });
}

function effectOf(report: ApplicationReport): string {
  const { keys, secrets, isSecretForbidden } = report;
  const others = keys.length - 1;
  const left =
    others > 0
      ? 'Its other key stays.'
      : secrets.length > 0 && !isSecretForbidden
        ? 'It has no other key, so that only its secret gets new tokens.'
        : 'It has nothing else: the program gets no new token at all.';
  return `What it signed is refused within a second. ${left} Tokens that it has work until they expire, unless you disable the application.`;
}

function replacedText({ keys, jwksUri, trust }: ApplicationReport): string {
  if (trust) return `It replaces ${trust.issuer}, whose tokens are refused from then on.`;
  if (jwksUri !== null) return `It replaces ${jwksUri}, whose keys are refused from then on.`;
  return keys.length === 1
    ? 'It replaces the stored key, which is refused from then on.'
    : 'It replaces both stored keys, which are refused from then on.';
}
