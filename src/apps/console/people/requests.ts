// The page of a change that waits for a second person, who approves or refuses it there.
import { isId } from '../../../core/ids.ts';
import { Refusal, refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { carryOutRequest } from '../../../resources/change-requests/carry-out-request.ts';
import { type ChangeRequest, findRequest } from '../../../resources/change-requests/change-request.ts';
import {
  approveRequest,
  collectRequest,
  objectionToApproval,
  planAgain,
  refuseRequest,
  withdrawRequest,
} from '../../../resources/change-requests/decide-request.ts';
import { isCarriedOut, isCollected, permissionOf } from '../../../resources/change-requests/make-change.ts';
import type { Service } from '../../service/service.ts';
import { moveCard } from '../money/move-card.ts';
import { actorOf, REQUESTS } from '../requests/request-href.ts';
import { STATES } from '../requests/requests-card.ts';
import type { Pages, Visit } from '../screen.ts';

/** Everybody may see and decide on the changes that they may make themselves, and on no others. */
const PERMISSION = 'readOverview';

const HEADINGS = {
  ...{ waits: 'What will change', approved: 'What will change', done: 'What has changed' },
  ...{
    failed: 'What was asked for',
    refused: 'What was asked for',
    withdrawn: 'What was asked for',
    expired: 'What was asked for',
  },
};

export function addRequests(pages: Pages, service: Service): void {
  const carryOut = async (visit: Visit, id: string) => {
    const { state } = await carryOutRequest(service, actorOf(visit), id);
    return `${REQUESTS}/${id}${state === 'done' ? '?done=moved' : ''}`;
  };
  pages.page(`${REQUESTS}/:id`, PERMISSION, async (visit) => {
    const request = await findSeen(service, visit);
    const { title, state, wanted } = request;
    return {
      title,
      main: html`${pageHeader({
        title,
        lead: badge(STATES[state].text, STATES[state].tone),
        back: backOf(visit, request),
      })}
      <div class="narrow">
        ${outcomeOf(request)} ${card({ title: HEADINGS[state] }, factsOf(request))} ${state === 'waits' && wanted.kind === 'move_money' && (await moveCard(service, wanted))}
        ${await nextStep(service, visit, request)}
      </div>`,
    };
  });
  pages.action(`${REQUESTS}/:id/approve`, PERMISSION, async (visit) => {
    const { id } = await findSeen(service, visit);
    const { wanted } = await approveRequest(service, actorOf(visit), id);
    return isCarriedOut(wanted) ? carryOut(visit, id) : `${REQUESTS}/${id}?done=approved`;
  });
  pages.action(`${REQUESTS}/:id/carry-out`, PERMISSION, async (visit) => carryOut(visit, (await findSeen(service, visit)).id));
  pages.action(`${REQUESTS}/:id/refuse`, PERMISSION, async (visit) => {
    const { id } = await findSeen(service, visit);
    await refuseRequest(service, actorOf(visit), id);
    return `${REQUESTS}/${id}?done=refused`;
  });
  pages.action(`${REQUESTS}/:id/withdraw`, PERMISSION, async (visit) => {
    const { id } = await findSeen(service, visit);
    await withdrawRequest(service, actorOf(visit), id);
    return `${REQUESTS}/${id}?done=withdrawn`;
  });
  pages.action(`${REQUESTS}/:id/collect`, PERMISSION, async (visit) => {
    const { wanted, id, shown } = await collectRequest(service, actorOf(visit), (await findSeen(service, visit)).id);
    const to = wanted.kind === 'create_link' ? `/console/people/${id}/link` : `/console/applications/${id}/secret`;
    return { to, shown: shown! };
  });
}

async function findSeen({ database }: Service, { params, may }: Visit): Promise<ChangeRequest> {
  const request = isId(params.id!) ? await findRequest(database.sql, params.id!) : undefined;
  if (!request || !may(permissionOf(request.wanted))) throw refuse('notFound');
  return request;
}

function backOf({ may }: Visit, { wanted }: ChangeRequest) {
  if (wanted.kind === 'move_money') return { href: '/console/money', label: 'Money' };
  if (wanted.kind === 'set_move_limit') return { href: `/console/policies/${wanted.accountId}`, label: 'Policy' };
  return may('managePeople')
    ? { href: '/console/people', label: 'People' }
    : { href: '/console/applications', label: 'Applications' };
}

/** What the ledger did. */
function outcomeOf({ wanted, refusal, result, state }: ChangeRequest): Html {
  if (state === 'failed') {
    return notice(html`<p><b>The ledger refused it, and nothing moved.</b> ${refusal} Ask again when it is possible.</p>`, 'bad');
  }
  if (wanted.kind !== 'move_money' || result === null) return undefined;
  return wanted.move.kind === 'capture'
    ? notice(
        html`<p>The held money of <a href=${`/console/customers/${wanted.customerId}`}>the customer</a> is captured.</p>`,
        'good',
      )
    : notice(html`<p>The money is moved: <a href=${`/console/money/transfers/${result}`}>see the transfer</a>.</p>`, 'good');
}

/** Where the ids in the lines of a move lead. */
const LINKS: Record<string, string> = {
  Customer: '/console/customers/',
  Transfer: '/console/money/transfers/',
  From: '/console/money/accounts/',
  To: '/console/money/accounts/',
};

function factsOf({ wanted, lines: written, asker, created, expires, state, decider, decided }: ChangeRequest): Html {
  const isMove = wanted.kind === 'move_money';
  const lines = written.map(([name, text]): [string, Html] => [
    name,
    isMove && isId(text) && LINKS[name] ? html`<a class="mono small" href=${LINKS[name] + text}>${text}</a>` : text,
  ]);
  const facts: [string, Html][] = [...lines, ['Asked by', asker], ['Asked', time(created)]];
  if (state === 'waits' || state === 'approved' || state === 'expired') facts.push(['Expires', time(expires)]);
  if (decided) facts.push([state === 'withdrawn' ? 'Withdrawn by' : state === 'refused' ? 'Refused by' : 'Approved by', decider]);
  if (decided) facts.push(['Decided', time(decided)]);
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** What this person can do about the request. */
async function nextStep(service: Service, { person }: Visit, request: ChangeRequest): Promise<Html> {
  const { id, askedBy, state, wanted, asker, decided } = request;
  const isOwn = askedBy === person.id;
  if (state === 'approved' && isOwn && !isCarriedOut(wanted)) {
    return card(
      { title: 'Approved' },
      html`<p>The change is made when you collect what it results in. That is shown once, to you only.</p>
        ${buttons(id, ['collect', 'withdraw'])}`,
    );
  }
  if (isCarriedOut(wanted) && (state === 'approved' || (state === 'expired' && decided))) {
    const text =
      state === 'approved'
        ? 'The money has not moved yet: the service stopped in between, or did not answer. It moves once, however often you try.'
        : 'It was approved, but nobody knows here whether the money moved before it expired. Nothing moves by asking.';
    return card({ title: 'Approved' }, html`<p>${text}</p>${buttons(id, [state === 'approved' ? 'carry-out' : 'ask-ledger'])}`);
  }
  if (state === 'approved') {
    return card(
      { title: 'Approved' },
      html`<p>The change is made when ${asker} collects what it results in.</p>${buttons(id, ['refuse'])}`,
    );
  }
  if (state !== 'waits') return undefined;
  if (isOwn) {
    return card(
      { title: 'Waiting' },
      html`<p>Somebody else who may do this has to approve it: send them the address of this page.</p>
        <p class="muted small">If nobody can, <code>earmark change approve ${id}</code> on the machine of the service does.</p>
        ${buttons(id, ['withdraw'])}`,
    );
  }
  const problem = await whyNot(service, person.id, request);
  if (problem) {
    return html`${notice(html`<p>${problem}</p>`, 'warn')}
    ${card({ title: 'Your decision' }, html`<p>You cannot approve this change, but refuse it.</p>${buttons(id, ['refuse'])}`)}`;
  }
  return card(
    { title: 'Your decision' },
    html`<p>
        ${
          isCollected(wanted)
            ? `After your approval ${asker} makes the change, and is shown the secret. `
            : isCarriedOut(wanted)
              ? 'Your approval moves the money at once. '
              : 'Your approval makes the change at once. '
        }
        ${`Approve only what ${asker} has told you about.`}
      </p>
      ${buttons(id, ['approve', 'refuse'])}`,
  );
}

/** Why this person cannot approve: who they are, or that the change would not be as it was asked for. */
async function whyNot(service: Service, personId: string, request: ChangeRequest): Promise<string | undefined> {
  try {
    return await service.database.transaction(async (tx) =>
      objectionToApproval(tx, personId, { request, plan: await planAgain(service, tx, request) }),
    );
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const BUTTONS = {
  approve: { verb: 'Approve', tone: 'button-primary', path: 'approve' },
  'carry-out': { verb: 'Carry it out', tone: 'button-primary', path: 'carry-out' },
  'ask-ledger': { verb: 'Ask the ledger', tone: '', path: 'carry-out' },
  collect: { verb: 'Make the change and show the secret', tone: 'button-primary', path: 'collect' },
  refuse: { verb: 'Refuse', tone: '', path: 'refuse' },
  withdraw: { verb: 'Withdraw', tone: '', path: 'withdraw' },
} as const;

function buttons(id: string, names: (keyof typeof BUTTONS)[]): Html {
  return html`<div class="buttons form-end">
    ${names
      .map((name) => BUTTONS[name])
      .map(
        ({ verb, tone, path }) => html`<form method="post" action=${`${REQUESTS}/${id}/${path}`}>
          <button class=${`button ${tone}`} type="submit">${verb}</button>
        </form>`,
      )}
  </div>`;
}
