// The page about one's own sign-in: passkeys, and how to add one.
import { listPasskeys, type PasskeyReport, removePasskey } from '../../operators/passkey.ts';
import { type Html, html } from '../../pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, table, time } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import { question } from '../question.ts';
import type { Pages } from '../screen.ts';

const HREF = '/console/account';
const REMOVE = `${HREF}/remove-passkey`;

export function addAccount(pages: Pages, { database }: Service): void {
  pages.page(HREF, 'readOverview', async ({ person, query }) => {
    const passkeys = await listPasskeys(database.sql, person.id);
    return {
      title: 'Your sign-in',
      scripts: ['passkeys.js'],
      main: html`${pageHeader({ title: 'Your sign-in', lead: `${person.name} · ${person.roles.join(', ')}` })}
      ${query.get('done') === 'added' && notice(html`<p>The passkey is stored. Use it for the next sign-in.</p>`, 'good')}
      ${query.get('done') === 'removed' && notice(html`<p>The passkey is removed.</p>`, 'good')}
      <div class="narrow">${passkeyCard(passkeys)}</div>`,
    };
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
          ? 'The device that has it does not sign you in any more. You stay signed in here.'
          : 'It is your only passkey: afterwards you sign in with a link from an administrator, or with your company account.',
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
    if (!(await removePasskey(database.sql, person.id, form.get('id') ?? ''))) throw refuse('notFound');
    await audit({ action: 'remove_passkey' });
    return `${HREF}?done=removed`;
  });
}

function passkeyCard(passkeys: PasskeyReport[]): Html {
  const add = html`<button class="button button-primary needs-script" type="button" data-passkey="enrol">
    ${icon('plus', 'small')}Add a passkey
  </button>`;
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
