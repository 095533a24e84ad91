// The page about one's own sign-in: passkeys, and how to add one.
import { listPasskeys, type PasskeyReport, removePasskey } from '../../operators/passkey.ts';
import { type Html, html } from '../../pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, table, time } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Pages } from '../screen.ts';

export function addAccount(pages: Pages, { database }: Service): void {
  pages.page('/console/account', 'readOverview', async ({ person, query }) => {
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
  pages.action('/console/account/remove-passkey', 'readOverview', async ({ person, audit }, form) => {
    if (!(await removePasskey(database.sql, person.id, form.get('id') ?? ''))) throw refuse('notFound');
    await audit({ action: 'remove_passkey' });
    return '/console/account?done=removed';
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
    html`<form method="post" action="/console/account/remove-passkey">
      <input type="hidden" name="id" value=${id} />
      <button class="button button-small" type="submit">Remove</button>
    </form>`,
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
