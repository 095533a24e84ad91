// The page for signing in, sign-in by one-time link, and sign-out.
import { type Html, html } from '../../../platform/pages/html.ts';
import { copyable, icon, notice } from '../../../platform/pages/parts.ts';
import { SANDBOX_ADMIN } from '../../../resources/operators/console-link.ts';
import { LINK_PATH, readLink, takeLink } from '../../../resources/operators/link.ts';
import { findOperator } from '../../../resources/operators/operator.ts';
import type { Service } from '../../service/service.ts';
import type { Cookies } from '../cookie.ts';
import type { Guard } from '../guard.ts';
import { returnPath, SIGN_IN } from '../return-path.ts';
import { formOf } from '../visit.ts';
import { type Entry, operatorOf } from './entry.ts';

type SignInService = Pick<Service, 'database' | 'sealer' | 'config'>;

/** A link may be opened in another tab, so a cookie remembers the page that was asked for. */
const RETURN_SECONDS = 900;
const KEPT = 'Sign in: the form is there again, with what you entered.';
const WITH_FILES = 'Sign in, choose the files again and fill in the form again: files are not read without a session.';

export function addSignIn(guard: Guard, service: Service, { entry, cookies }: { entry: Entry; cookies: Cookies }): void {
  addPage(guard, service, cookies);
  addLink(guard, service, entry);
  guard.receive('/console/sign-out', async (request, reply) => {
    await entry.signOut(request, reply);
    const to = formOf(request).get('to');
    return reply.redirect(`${SIGN_IN}?${new URLSearchParams({ ended: '1', ...(to && { to: returnPath(to) }) })}`, 303);
  });
}

function addPage(guard: Guard, service: SignInService, cookies: Cookies): void {
  const { config } = service;
  guard.open(SIGN_IN, async (request, reply) => {
    const query = new URLSearchParams(request.url.split('?')[1]);
    const to = returnPath(query.get('to'));
    if (query.has('to')) cookies.set(reply, 'return', { secret: encodeURIComponent(to), seconds: RETURN_SECONDS });
    return {
      title: 'Sign in',
      scripts: ['passkeys.js', 'copy.js'],
      main: html`<h1>Sign in to the console</h1>
        ${query.has('ended') && notice(html`<p>You are signed out.</p>`, 'good')}
        ${query.has('form') && notice(html`<p>Your session had ended, so nothing was sent. ${query.get('form') === 'files' ? WITH_FILES : KEPT}</p>`, 'warn')}
        <section class="card">
          <div class="card-body">
            ${
              config.openId &&
              html`<p><a class="button button-primary button-wide" href=${`/console/openid?${new URLSearchParams({ to })}`}>Sign in with your company account</a></p>`
            }
            <p class="needs-script">
              <button class="button button-wide" type="button" data-passkey="sign-in" data-to=${to}>
                ${icon('finger-print')}Sign in with a passkey
              </button>
            </p>
            <p class="error-text" role="alert" data-passkey-error hidden></p>
            ${await commandHint(service)}
          </div>
        </section>`,
    };
  });
}

async function commandHint({ config, database }: SignInService): Promise<Html> {
  const hint = (text: string, command: string) =>
    html`<p class="muted small">${text}</p>
      ${copyable(command, 'the command')}`;
  if (config.mode !== 'sandbox')
    return hint(
      'Without a passkey, open a one-time link. On the machine of the service, an administrator prints one:',
      'earmark operator link NAME',
    );
  // A sandbox has its administrator from the first start on a terminal.
  if (await findOperator(database.sql, { name: SANDBOX_ADMIN }))
    return hint(
      'Open the link that the service printed at its start, or print another:',
      `earmark operator link ${SANDBOX_ADMIN}`,
    );
  return hint(
    'Without a person yet, add one on the machine of the service:',
    `earmark operator create ${SANDBOX_ADMIN} --role admin`,
  );
}

/** The link shows a page with a button, so that programs which open links in advance do not use it up. */
function addLink(guard: Guard, service: Service, entry: Entry): void {
  const { database, sealer } = service;
  const path = `${LINK_PATH}:secret`;
  guard.open(path, async (request) => {
    const { secret } = request.params as { secret: string };
    const operator = await operatorOf(service, await readLink(database.sql, sealer, secret));
    if (!operator) return { title: 'Sign in', main: expired() };
    return {
      title: 'Sign in',
      main: html`<h1>Sign in to the console</h1>
        <section class="card">
          <form class="card-body" method="post" action=${`${LINK_PATH}${secret}`}>
            <p>This link signs you in as <b>${operator.name}</b>. It works once.</p>
            <button class="button button-primary button-wide" type="submit">Sign in as ${operator.name}</button>
          </form>
        </section>`,
    };
  });
  guard.receive(path, async (request, reply) => {
    const { secret } = request.params as { secret: string };
    const find = async () => operatorOf(service, await takeLink(database.sql, sealer, secret));
    return reply.redirect(await entry.signIn(request, reply, { method: 'link', find }), 303);
  });
}

function expired(): Html {
  return html`<h1>This link does not work any more</h1>
    ${notice(html`<p>A sign-in link works once and for fifteen minutes. Ask for another.</p>`, 'warn')}
    <p><a class="button" href=${SIGN_IN}>Sign in another way</a></p>`;
}
