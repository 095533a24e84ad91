// What an application must do: use its key and no secret, and have its tokens bound to a key or a certificate.
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { BINDINGS, type RequiredBinding } from '../../../resources/oauth/scope.ts';
import type { Service } from '../../service/service.ts';
import { APPLICATIONS as HREF } from '../addresses.ts';
import { question } from '../question.ts';
import type { Pages } from '../screen.ts';
import { hasKeys } from './access-card.ts';
import { secure } from './application-keys.ts';
import { findApplication, useOf } from './application-state.ts';

const PERMISSION = 'manageApplications';
const NOTHING = 'nothing';
const EFFECTS: Record<RequiredBinding, string> = {
  dpop: 'Each request for a token and each call must have a proof of the key (DPoP, RFC 9449). Tokens that are not bound to a key are refused within a second.',
  certificate:
    'Each request must come with its client certificate, which the proxy reports (RFC 8705). Tokens that are not bound to one are refused within a second.',
};
const CHOICES: Record<RequiredBinding | typeof NOTHING, string> = {
  nothing: 'nothing: bearer tokens, and bound ones if it sends a proof',
  dpop: 'a key that each request proves (DPoP)',
  certificate: 'its client certificate (mTLS)',
};

export function addRules(pages: Pages, service: Service): void {
  addSecretUse(pages, service);
  addBinding(pages, service);
}

function addSecretUse(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/secret-use`, PERMISSION, async ({ params }) => {
    const report = await findApplication(service, params.id!);
    if (!report || report.isSecretForbidden || !hasKeys(report)) return undefined;
    const { id, name, secrets } = report;
    const used = secrets.map(({ lastUsed }) => lastUsed).filter((when) => when !== null);
    const newest = used.toSorted((a, b) => b.getTime() - a.getTime())[0];
    return question({
      title: `Refuse the secret of ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect:
        'A program that still sends the secret gets no new token, from a second later on. It is stored, and can be accepted again.',
      facts: [['Secret last used', newest ? time(newest) : 'never'], ...keyUse(report), ...(await useOf(service, id))],
      action: `${HREF}/${id}/secret-use`,
      hidden: { secret: 'refused' },
      verb: 'Refuse the secret',
    });
  });
  pages.action(`${HREF}/:id/secret-use`, PERMISSION, (visit, form) => {
    const answer = form.get('secret');
    if (answer !== 'accepted' && answer !== 'refused')
      throw refuse('badRequest', { message: 'Say whether the secret is accepted.' });
    return secure(service, visit, { isSecretForbidden: answer === 'refused' }, `secret-${answer}`);
  });
}

function keyUse({ keys, keyUsed }: { keys: { lastUsed: Date | null }[]; keyUsed: Date | null }): [string, Html][] {
  const uses = [...keys.map(({ lastUsed }) => lastUsed), keyUsed].flatMap((when) => when?.getTime() ?? []);
  return [['Key last used', uses.length > 0 ? time(new Date(Math.max(...uses))) : 'never']];
}

/** The choice, and with `?require=` the question what it means. */
function addBinding(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/binding`, PERMISSION, async ({ params, query }) => {
    const report = await findApplication(service, params.id!);
    if (!report) return undefined;
    const { id, name, requiredBinding } = report;
    const href = `${HREF}/${id}`;
    const wanted = query.get('require');
    if (isBinding(wanted)) {
      return question({
        title: `Bind the tokens of ${name}?`,
        back: { href, label: name },
        effect: EFFECTS[wanted],
        facts: await useOf(service, id),
        action: `${href}/binding`,
        hidden: { require: wanted },
        verb: wanted === 'dpop' ? 'Require DPoP' : 'Require its certificate',
      });
    }
    if (wanted === NOTHING && requiredBinding) {
      return question({
        title: `Accept bearer tokens of ${name} again?`,
        back: { href, label: name },
        effect: 'Whoever has a bearer token can use it. Tokens that are bound already stay bound.',
        action: `${href}/binding`,
        hidden: { require: NOTHING },
        verb: 'Accept bearer tokens',
      });
    }
    return {
      title: `Tokens of ${name}`,
      main: bindingForm({
        href,
        name,
        current: requiredBinding ?? NOTHING,
        hasCertificates: service.config.clientCertificateHeader !== undefined,
      }),
    };
  });
  pages.action(`${HREF}/:id/binding`, PERMISSION, (visit, form) => {
    const wanted = form.get('require');
    if (wanted !== NOTHING && !isBinding(wanted))
      throw refuse('badRequest', { message: 'Say what its tokens must be bound to.' });
    return secure(service, visit, { requiredBinding: wanted === NOTHING ? null : wanted }, 'binding-changed');
  });
}

type BindingForm = { href: string; name: string; current: RequiredBinding | typeof NOTHING; hasCertificates: boolean };

function bindingForm({ href, name, current, hasCertificates }: BindingForm): Html {
  const hint = hasCertificates ? undefined : 'Certificates need CLIENT_CERTIFICATE_HEADER, which this service does not have.';
  const possible = [NOTHING, ...BINDINGS].filter((one) => one !== 'certificate' || hasCertificates || one === current);
  return html`${pageHeader({ title: `Tokens of ${name}`, back: { href, label: name } })}
    <div class="narrow">
      ${card(
        { title: 'Binding' },
        html`<form method="get" action=${`${href}/binding`}>
          ${field(
            { id: 'require', label: 'Each of its tokens must be bound to', ...(hint && { hint }) },
            html`<select class="input" id="require" name="require" aria-describedby=${hint && 'require-hint'}>
              ${possible.map((one) => html`<option value=${one} selected=${one === current}>${CHOICES[one as keyof typeof CHOICES]}</option>`)}
            </select>`,
          )}
          <div class="buttons">
            <button class="button button-primary" type="submit">Continue…</button>
            <a class="button" href=${href}>Cancel</a>
          </div>
        </form>`,
      )}
    </div>`;
}

function isBinding(text: string | null): text is RequiredBinding {
  return BINDINGS.includes(text as RequiredBinding);
}
