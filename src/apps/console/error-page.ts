// Error pages of the console, for refusals and for failures.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { problems, type Refusal } from '../../core/problems.ts';
import { toRefusal } from '../../platform/http/errors.ts';
import { html } from '../../platform/pages/html.ts';
import { may } from '../../resources/operators/role.ts';
import type { Service } from '../service/service.ts';
import { currentOf, writeEntrance, writeScreen } from './layout.ts';
import { pageOfForm } from './return-path.ts';
import { pathOf, sendPage } from './send.ts';
import { zoneOf } from './visit.ts';

const TITLES: Record<number, string> = {
  400: 'That did not work',
  403: 'Not allowed',
  404: 'There is no such page',
  413: 'Too large',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Unavailable right now',
};

/** Answers any error of a console route with a page that says what happened and where to go on. */
export async function answerWithPage(
  service: Service,
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const refusal = toRefusal(error, request, undefined);
  const { status, code } = problems[refusal.problem];
  reply.refusal = { code };
  reply.code(status).headers(refusal.details.headers ?? {});
  const isGone = status === 404 && request.method === 'POST';
  const title = isGone ? 'It is no longer there' : (TITLES[status] ?? 'That did not work');
  const detail = status === 500 ? `The error is in the log under ${request.id}.` : refusal.message;
  const from = request.method === 'POST' ? pageOfForm(request) : '/console';
  // With the subject of a form its page may be gone.
  const back = status === 404 ? (currentOf(pathOf(request))?.href ?? from) : from;
  const main = html`<div class="empty">
    <p class="muted small">Error ${status}</p>
    <h1>${title}</h1>
    <p>${detail}</p>
    <p><a class="button" href=${back}>Go back</a></p>
  </div>`;
  const { person } = request;
  if (!person) return sendPage(reply, writeEntrance(service, { title, main }));
  const mayDo = (wanted: Parameters<typeof may>[1]) => may(person.roles, wanted);
  const visit = { person, may: mayDo, zone: zoneOf(person), query: new URLSearchParams(), kept: {} };
  return sendPage(reply, await writeScreen(service, visit, { path: pathOf(request), content: { title, main } }));
}
