// Keys: those that sign tokens and logs and seal data, with their age, and how a new one is made or comes into use.
import { createLogKey, listLogKeys } from '../../../ledger/log/log-key.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, notice, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listSigningKeys, rotateSigningKeys } from '../../../resources/oauth/signing-key.ts';
import { listKeyUses, rotateKeys } from '../../keys/rotate.ts';
import type { Service } from '../../service/service.ts';
import { agoText } from '../quantity.ts';
import { question } from '../question.ts';
import type { Pages, Visit } from '../screen.ts';

const KEYS = '/console/operations/keys';
const back = { href: KEYS, label: 'Keys' };

const KEY_STATES = {
  next: { text: 'signs next', tone: 'accent' },
  signs: { text: 'signs', tone: 'good' },
  verifies: { text: 'verifies', tone: 'neutral' },
} as const;

type SigningKeys = Awaited<ReturnType<typeof listSigningKeys>>;
type LogKeys = Awaited<ReturnType<typeof listLogKeys>>;
/** The last time that this process sealed everything under the newest key. `sealed`: values, when it is over. */
type Resealing = { started: Date; sealed?: number; failed?: string };

export function addKeys(pages: Pages, service: Service): void {
  const { sql } = service.database;
  let resealing: Resealing | undefined;
  pages.page(KEYS, 'readOperations', async ({ query, may }) => {
    const isCounted = query.get('count') === 'yes' && may('runOperations');
    const [signing, log, uses] = await Promise.all([
      listSigningKeys(sql),
      listLogKeys(sql),
      isCounted ? listKeyUses(service.housekeeping.sql) : undefined,
    ]);
    const mayRun = may('runOperations');
    return {
      title: 'Keys',
      scripts: ['progress.js'],
      main: html`${pageHeader({ title: 'Keys', lead: 'What signs and seals here. A new key never breaks what an older one signed or sealed.', back: { href: '/console/operations', label: 'Operations' } })}
        ${resealingNotice(resealing)} ${signingCard(signing, mayRun)} ${logCard(log, mayRun)}
        ${sealingCard(service.sealer.keyIds, { uses, mayRun })}`,
    };
  });
  addSigning(pages, service);
  addLog(pages, service);
  addRotation(pages, {
    ...{ name: 'encryption', done: 'resealing' },
    title: 'Seal everything under the newest encryption key?',
    effect:
      'Each sealed value gets its data key sealed again, one after another, while the service works. The content does not change. Do this after ENCRYPTION_KEY begins with the new key in every process.',
    facts: [['Newest key', html`<code>${service.sealer.keyIds[0]}</code>`]],
    verb: 'Seal everything under it',
    async rotate(audit) {
      if (resealing && resealing.sealed === undefined && resealing.failed === undefined) return;
      const begun: Resealing = { started: new Date() };
      // Before the work, which is many transactions: it is never unseen.
      await audit({ action: 'rotate_encryption_keys', detail: { keyId: service.sealer.keyIds[0] } });
      resealing = begun;
      rotateKeys(service.housekeeping, service.sealer).then(
        (done) => {
          begun.sealed = done.reduce((sum, { rewrapped }) => sum + rewrapped, 0);
        },
        (error: unknown) => {
          begun.failed = error instanceof Error ? error.message : String(error);
          service.log.error({ err: error }, 'values cannot be sealed under the newest encryption key');
        },
      );
    },
  });
}

/** `name`: of the path. `done`: the message afterwards. */
type Rotation = Pick<Parameters<typeof question>[0], 'title' | 'effect' | 'facts' | 'verb'> & {
  name: string;
  done: string;
  rotate(audit: Visit['audit']): Promise<unknown>;
};

/** A question, and what its button does. */
function addRotation(pages: Pages, { name, done, rotate, ...asked }: Rotation): void {
  const path = `${KEYS}/${name}`;
  pages.page(path, 'runOperations', async () => question({ ...asked, back, action: path }));
  pages.action(path, 'runOperations', async ({ audit }) => {
    await rotate(audit);
    return `${KEYS}?done=${done}`;
  });
}

function addSigning(pages: Pages, { database, sealer }: Service): void {
  addRotation(pages, {
    ...{ name: 'signing', done: 'signing' },
    title: 'Make a new signing key of tokens?',
    effect:
      'The new key signs tokens after ten minutes. The old one verifies until its tokens have expired, a day later. No program has to sign in again. This does not stop a leaked key: the guide Keys and secrets says how, after a suspected leak.',
    verb: 'Make a new signing key',
    rotate: (audit) => rotateSigningKeys(database, sealer, 'now', (tx) => audit({ action: 'rotate_signing_keys' }, tx)),
  });
}

function addLog(pages: Pages, { database, sealer }: Service): void {
  addRotation(pages, {
    ...{ name: 'log', done: 'log' },
    title: 'Make a new key of the transparency logs?',
    effect:
      'Both keys sign the checkpoints of all accounts for a year, so that auditors have time to change. Give them the new verifier key, which each account shows.',
    verb: 'Make a new log key',
    rotate: (audit) =>
      database.transaction(async (tx) => {
        const key = await createLogKey(tx, sealer);
        await audit({ action: 'rotate_log_keys', detail: { key } }, tx);
      }),
  });
}

/** On the screen Operations. */
export function keyCard(keys: SigningKeys): Html {
  const signs = keys.find(({ state }) => state === 'signs');
  return card(
    { title: 'Keys', actions: html`<a class="button" href=${KEYS}>All keys</a>` },
    html`<p>${signs ? html`The key of tokens was made ${agoText(signs.created)} ago.` : 'There is no key of tokens.'}</p>`,
  );
}

function signingCard(keys: SigningKeys, mayRun: boolean): Html {
  const rows = keys.map(({ kid, created, state }) => [
    html`<span class="mono small">${kid.slice(0, 12)}…</span>`,
    badge(KEY_STATES[state].text, KEY_STATES[state].tone),
    ageOf(created),
  ]);
  const columns = [{ label: 'Key' }, { label: 'State' }, { label: 'Created' }];
  return card(
    {
      title: 'Signing keys of tokens',
      lead: html`A new one is made by itself every SIGNING_KEY_DAYS. <a href="/docs/operations/keys#after-a-suspected-leak">After a suspected leak</a>
        a new one alone does not stop the old one.`,
      actions: mayRun && html`<a class="button" href=${`${KEYS}/signing`}>New key…</a>`,
      isBare: true,
    },
    table({ caption: 'Signing keys of tokens', columns, rows }),
  );
}

function logCard(keys: LogKeys, mayRun: boolean): Html {
  const rows = keys.map(({ id, signs, created }) => [
    html`<span class="mono small">${id}</span>`,
    signs ? badge('signs', 'good') : badge('verifies', 'neutral'),
    ageOf(created),
  ]);
  const columns = [{ label: 'Key' }, { label: 'State' }, { label: 'Created' }];
  return card(
    {
      title: 'Keys of the transparency logs',
      lead: 'They sign the checkpoints that auditors and witnesses check.',
      actions: mayRun && html`<a class="button" href=${`${KEYS}/log`}>New key…</a>`,
      isBare: true,
    },
    table({ caption: 'Keys of the transparency logs', columns, rows }),
  );
}

type Uses = Awaited<ReturnType<typeof listKeyUses>> | undefined;

function sealingCard(keyIds: readonly string[], { uses, mayRun }: { uses: Uses; mayRun: boolean }): Html {
  const all = [...new Set([...keyIds, ...(uses ?? []).map(({ keyId }) => keyId)])];
  const rows = all.map((id, index) => [
    html`<code>${id}</code>`,
    keyIds.includes(id) ? badge(index === 0 ? 'seals' : 'opens', index === 0 ? 'good' : 'neutral') : badge('missing here', 'bad'),
    uses
      ? (uses
          .filter(({ keyId }) => keyId === id)
          .map(({ content, count }) => html`<div>${count.toLocaleString('en')} ${content}</div>`) as Html[])
      : html`<span class="muted">not counted</span>`,
  ]);
  const columns = [{ label: 'Key' }, { label: 'State' }, { label: 'Seals' }];
  return card(
    {
      title: 'Encryption keys',
      lead: 'From ENCRYPTION_KEY, newest first. A key may go when it seals nothing any more.',
      actions:
        mayRun &&
        html`${!uses && html`<a class="button" href=${`${KEYS}?count=yes`}>Count what they seal</a>`}
        <a class="button" href=${`${KEYS}/encryption`}>Seal under the newest…</a>`,
      isBare: true,
    },
    table({ caption: 'Encryption keys', columns, rows }),
  );
}

/** The page is loaded again while it runs; without a script the person does it. */
function resealingNotice(resealing: Resealing | undefined): Html {
  if (!resealing) return undefined;
  const { started, sealed, failed } = resealing;
  if (failed !== undefined)
    return notice(html`<p>Sealing under the newest key failed: ${failed}. What was done stays; start it again.</p>`, 'bad');
  if (sealed === undefined)
    return html`<div data-reload>${notice(html`<p>Sealing under the newest key, since ${time(started, 'seconds')}.</p>`)}</div>`;
  return notice(
    html`<p>${sealed === 0 ? 'Everything is' : html`${sealed.toLocaleString('en')} values were`} sealed under the newest key, at
      ${time(started, 'seconds')}.</p>`,
    'good',
  );
}

function ageOf(created: Date): Html {
  return html`${time(created)} <span class="muted small nowrap">${agoText(created)} ago</span>`;
}
