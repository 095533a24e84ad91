// The page about one's own sign-in: passkeys, and how to add one.
import { refuse } from '../../../core/problems.ts';
import { isZone } from '../../../core/zone.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, notice, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { chooseTimeZone, findOperator } from '../../../resources/operators/operator.ts';
import { listPasskeys, type PasskeyReport, removePasskey } from '../../../resources/operators/passkey.ts';
import type { Service } from '../../service/service.ts';
import { question } from '../question.ts';
import type { Pages } from '../screen.ts';

const HREF = '/console/account';
const REMOVE = `${HREF}/remove-passkey`;
const ZONE = `${HREF}/time-zone`;

export function addAccount(pages: Pages, { database }: Service): void {
  pages.page(HREF, 'readOverview', async ({ person, query, zone }) => {
    const [passkeys, operator] = await Promise.all([
      listPasskeys(database.sql, person.id),
      findOperator(database.sql, { id: person.id }),
    ]);
    return {
      title: 'Your sign-in',
      scripts: ['passkeys.js', 'zone.js'],
      main: html`${pageHeader({ title: 'Your sign-in', lead: `${person.name} · ${person.roles.join(', ')}` })}
      ${query.get('done') === 'added' && notice(html`<p>The passkey is stored. Use it for the next sign-in.</p>`, 'good')}
      ${query.get('done') === 'removed' && notice(html`<p>The passkey is removed.</p>`, 'good')}
      ${query.get('done') === 'zone' && notice(html`<p>All times are in ${zone} now.</p>`, 'good')}
      <div class="narrow">${zoneCard(zone)} ${operator?.issuer ? companyCard(operator.issuer) : passkeyCard(passkeys, person.isFresh)}</div>`,
    };
  });
  pages.action(ZONE, 'readOverview', async ({ person, audit }, form) => {
    const timeZone = form.get('zone') ?? '';
    if (!isZone(timeZone)) throw refuse('badRequest', { message: 'Choose a time zone of the list.' });
    await database.transaction(async (tx) => {
      await chooseTimeZone(tx, person.id, timeZone);
      await audit({ action: 'choose_time_zone', detail: { timeZone } }, tx);
    });
    return `${HREF}?done=zone`;
  });
  pages.page(REMOVE, 'readOverview', async ({ person, query }) => {
    const passkeys = await listPasskeys(database.sql, person.id);
    const passkey = passkeys.find(({ id }) => id === query.get('id'));
    if (!passkey) return undefined;
    const { id, created, lastUsed } = passkey;
    return question({
      title: `Remove passkey ${passkeys.indexOf(passkey) + 1}?`,
      back: { href: HREF, label: 'Your sign-in' },
      effect:
        passkeys.length > 1
          ? 'The device that has it does not sign you in any more. The sessions that it opened end, also this one if it did.'
          : 'It is your only passkey: its sessions end, and afterwards you sign in with a link from an administrator.',
      facts: [
        ['Added', time(created)],
        ['Last used', lastUsed ? time(lastUsed) : 'never'],
      ],
      action: REMOVE,
      hidden: { id },
      verb: 'Remove the passkey',
    });
  });
  pages.action(REMOVE, 'readOverview', async ({ person, audit }, form) => {
    await database.transaction(async (tx) => {
      if (!(await removePasskey(tx, person.id, form.get('id') ?? ''))) throw refuse('notFound');
      await audit({ action: 'remove_passkey' }, tx);
    });
    return `${HREF}?done=removed`;
  });
}

function zoneCard(zone: string): Html {
  const zones = [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])];
  return card(
    { title: 'Times', lead: 'Every time and every day of the console is in this zone.' },
    html`<form method="post" action=${ZONE} id="times">
      ${field(
        { id: 'zone', label: 'Time zone' },
        html`<select class="input" id="zone" name="zone">
          ${zones.map((name) => html`<option value=${name} selected=${name === zone}>${name}</option>`)}
        </select>`,
      )}
      <div class="buttons">
        <button class="button" type="submit">Save</button>
        <button class="button needs-script" type="button" data-own-zone>Use that of this browser</button>
      </div>
    </form>`,
  );
}

function companyCard(issuer: string): Html {
  return card(
    { title: 'Company account' },
    html`<p>You sign in with your company account at ${issuer}, which also decides whether you may. Passkeys are not used beside it.</p>`,
  );
}

function passkeyCard(passkeys: PasskeyReport[], isFresh: boolean): Html {
  const add = isFresh
    ? html`<button class="button button-primary needs-script" type="button" data-passkey="enrol">
        ${icon('plus', 'small')}Add a passkey
      </button>`
    : html`<form method="post" action="/console/sign-out">
        <input type="hidden" name="to" value=${HREF} />
        <button class="button" type="submit">Sign in again to add a passkey</button>
      </form>`;
  const rows = passkeys.map(({ id, created, lastUsed }, index) => [
    `Passkey ${index + 1}`,
    time(created),
    lastUsed ? time(lastUsed) : html`<span class="muted">never</span>`,
    html`<a class="button button-small" href=${`${REMOVE}?${new URLSearchParams({ id })}`}>Remove…</a>`,
  ]);
  const columns = [{ label: 'Passkey' }, { label: 'Added' }, { label: 'Last used' }, { label: 'Action' }];
  return card(
    {
      title: 'Passkeys',
      lead: 'Sign in with a fingerprint, a face or a security key instead of a link.',
      actions: add,
      isBare: true,
    },
    html`<p class="error-text" role="alert" data-passkey-error hidden></p>
      ${
        rows.length > 0
          ? table({ caption: 'Your passkeys', columns, rows })
          : emptyState({ icon: 'finger-print', title: 'No passkey yet', text: 'Add one on each device that you work with.' })
      }`,
  );
}
