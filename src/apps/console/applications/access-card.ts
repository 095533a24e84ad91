// How an application authenticates: its keys, their address or issuer, whether its secret is accepted, and what its tokens are bound to.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import type { StoredKey } from '../../../resources/oauth/application-key.ts';
import { KEYS_MAX } from '../../../resources/oauth/client-key.ts';
import { APPLICATIONS as HREF } from '../addresses.ts';

const BINDINGS = { dpop: 'to a key that each request proves (DPoP)', certificate: 'to a client certificate (mTLS)' } as const;
const never = html`<span class="muted">never</span>`;

export function accessCard(report: ApplicationReport): Html {
  const { id, secrets, isSecretForbidden, requiredBinding } = report;
  const href = `${HREF}/${id}`;
  return card(
    { title: 'How it authenticates' },
    html`<dl class="facts">
        <dt>With a key</dt>
        <dd>${keyText(report)}</dd>
        <dt>With a secret</dt>
        <dd>${isSecretForbidden ? badge('refused') : secrets.length > 0 ? badge('accepted', hasKeys(report) ? 'warn' : 'good') : 'no secret'}</dd>
        <dt>Its tokens</dt>
        <dd>${requiredBinding ? html`must be bound ${BINDINGS[requiredBinding]}` : 'may be bearer tokens'}</dd>
      </dl>
      <div class="buttons form-end">
        ${secretButton(report)}
        <a class="button" href=${`${href}/binding`}>Bind its tokens…</a>
      </div>`,
  );
}

export function keysCard(report: ApplicationReport): Html {
  const { id, keys, trust } = report;
  const href = `${HREF}/${id}/keys`;
  const isFull = keys.length >= KEYS_MAX;
  const actions = html`${!isFull && html`<a class="button button-small" href=${`${href}/add`}>Add a key…</a>`}
    <a class="button button-small" href=${`${href}/address`}>Use an address…</a>
    <a class="button button-small" href=${`${href}/trust`}>Trust an issuer…</a>`;
  const lead = isFull ? 'It has two, as many as it can. Remove the former one when nothing uses it.' : undefined;
  const options = { title: trust && keys.length > 0 ? 'Keys of the issuer' : 'Keys', ...(lead && { lead }), actions };
  if (keys.length > 0) return card({ ...options, isBare: true }, keyTable(href, keys));
  if (report.jwksUri ?? trust) return card(options, remoteFacts(report));
  return card(
    options,
    emptyState({
      icon: 'key',
      title: 'No keys',
      text: 'With a public key here, the program signs with the private one, and sends no secret.',
    }),
  );
}

/** Whether it has any way to a token that is no secret. */
export function hasKeys({ keys, jwksUri, trust }: Pick<ApplicationReport, 'keys' | 'jwksUri' | 'trust'>): boolean {
  return keys.length > 0 || jwksUri !== null || trust !== null;
}

/** A key as people call it. */
export function nameOfKey({ kid, thumbprint }: Pick<StoredKey, 'kid' | 'thumbprint'>): string {
  return kid ?? `${thumbprint.slice(0, 8)}…`;
}

function keyText({ keys, jwksUri, trust, keyUsed }: ApplicationReport): Html {
  if (trust) return html`as ${trust.subject}, with a token of <span class="break">${trust.issuer}</span>`;
  if (jwksUri !== null) return html`of a set at an address${keyUsed && html`, last used ${time(keyUsed)}`}`;
  if (keys.length === 0) return 'no key';
  return keys.length === 1 ? '1 stored key' : `${keys.length} stored keys`;
}

function keyTable(href: string, keys: StoredKey[]): Html {
  const columns = ['Key', 'Added', 'Last used', 'Remove'].map((label) => ({ label }));
  const rows = keys.map((key) => [
    html`${key.kid ?? html`<span class="muted">no kid</span>`} <span class="muted">${algorithmOf(key)}</span><br /><code class="break small muted">${key.thumbprint}</code>`,
    time(key.created),
    key.lastUsed ? time(key.lastUsed) : never,
    html`<a class="button button-small" href=${`${href}/remove?key=${key.thumbprint}`}>Remove…<span class="visually-hidden"> ${nameOfKey(key)}</span></a>`,
  ]);
  return table({ caption: 'Keys', columns, rows });
}

function remoteFacts({ id, jwksUri, trust, keyUsed }: ApplicationReport): Html {
  const facts: [string, Html][] = trust
    ? [
        ['Trusted issuer', trust.issuer],
        ['Subject', trust.subject],
      ]
    : [['Key set at', jwksUri]];
  return html`<dl class="facts">
      ${facts.map(([name, value]) => html`<dt>${name}</dt><dd class="break">${value}</dd>`)}
      <dt>Last used</dt>
      <dd>${keyUsed ? time(keyUsed) : never}</dd>
    </dl>
    <div class="buttons form-end">
      <a class="button button-danger" href=${`${HREF}/${id}/keys/remove`}>Remove…</a>
    </div>`;
}

function secretButton(report: ApplicationReport): Html {
  const { id, isSecretForbidden, secrets } = report;
  if (isSecretForbidden) {
    return html`<form method="post" action=${`${HREF}/${id}/secret-use`}>
      <input type="hidden" name="secret" value="accepted" />
      <button class="button" type="submit">Accept its secret again</button>
    </form>`;
  }
  return (
    secrets.length > 0 && hasKeys(report) && html`<a class="button" href=${`${HREF}/${id}/secret-use`}>Refuse its secret…</a>`
  );
}

function algorithmOf({ algorithm, jwk }: StoredKey): string {
  return jwk.kty === 'RSA' ? `${jwk.alg ?? algorithm}, RSA` : algorithm;
}
