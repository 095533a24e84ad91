// The checker of another service: sends the picture and the person on record in a signed request, and validates the answer strictly.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { Type } from '../../../core/type.ts';
import { createAddressPolicy } from '../../../platform/http/address-policy.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { type Exchange, openSender } from '../../../platform/http/send.ts';
import { signatureHeaders } from '../../webhooks/sign.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { REASONS } from '../reason.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';

type Options = {
  url: string;
  secret: string;
  timeoutMs?: number;
  /** Pauses before further attempts. */
  pausesMs?: readonly number[];
};

const TIMEOUT_MS = 10_000;
const PAUSES_MS = [1_000, 5_000];
const NOTE_LENGTH = 500;
const NOTES_MAX = 20;
const TOO_MANY_REQUESTS = 429;

/** Every answer; a member that is not listed makes it invalid. */
const Answer = Type.Object(
  {
    decision: Type.Enum(['accepted', 'rejected', 'undecided']),
    reasons: Type.Optional(Type.Array(Type.Enum(REASONS), { minItems: 1, uniqueItems: true })),
    findings: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: NOTE_LENGTH }), { maxItems: NOTES_MAX })),
    reference: Type.Optional(Type.String({ minLength: 1, maxLength: NOTE_LENGTH })),
  },
  { additionalProperties: false },
);
type Answer = Static<typeof Answer>;

const faultsOf = validatorOf(Answer);

/**
 * Opens the checker. It tries again after a timeout, a broken connection, 429 and 5xx, and then leaves the check unfinished. A service
 * that answers anything else leaves the document undecided.
 */
export function openHttpChecker({ url, secret, timeoutMs = TIMEOUT_MS, pausesMs = PAUSES_MS }: Options): Checker {
  // The operator chose the URL, which may be on the private network. Redirects are not followed.
  const guard = createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined });
  const sender = openSender(guard, { timeoutMs });
  const closed = new AbortController();

  async function exchange(id: string, body: string): Promise<Exchange> {
    for (let attempt = 0; ; attempt++) {
      const headers = [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Content-Length', value: String(Buffer.byteLength(body)) },
        ...signatureHeaders({ secrets: [secret], privateKeys: [] }, { id, body, sent: new Date() }),
      ];
      const answered = await sender.send({ url, headers, body });
      const pauseMs = pausesMs[attempt];
      if (!isTemporary(answered) || pauseMs === undefined || closed.signal.aborted) return answered;
      await sleep(pauseMs, undefined, { signal: closed.signal }).catch(() => {});
    }
  }

  return {
    name: 'http',
    version: '1',
    async check(submitted) {
      const body = await describe(submitted);
      if (body === undefined) return { decision: 'undecided', lookedAt: [] };
      const answered = await exchange(submitted.document.id, body);
      return { ...verdictOf(answered), lookedAt: ['copy', 'name', 'dateOfBirth'] };
    },
    close() {
      closed.abort();
      sender.close();
    },
  };
}

/** The request of protocol version 1. */
async function describe({ document, today, record, copy }: Submitted): Promise<string | undefined> {
  const [person, content] = [await record(), await copy()];
  if (!person || !content) return undefined;
  const { firstName, lastName, dateOfBirth } = person;
  return JSON.stringify({
    version: 1,
    id: document.id,
    type: document.type,
    today,
    person: { firstName, lastName, dateOfBirth },
    file: { mediaType: document.mediaType, base64: content.toString('base64') },
  });
}

/** What Earmark knows of a document that another service accepted. */
const ELSEWHERE: Evidence = {
  level: 'text',
  parts: [{ name: 'data', result: 'unknown', text: 'Another service read the document and accepted it.' }],
};

function isTemporary({ answer, error }: Exchange): boolean {
  return error !== undefined || answer!.status >= 500 || answer!.status === TOO_MANY_REQUESTS;
}

function verdictOf(exchange: Exchange): Verdict {
  const { answer, error } = exchange;
  if (isTemporary(exchange)) {
    const why =
      error === undefined ? `The service answered with status ${answer!.status}.` : `The service did not answer: ${error}`;
    return { ...undecided(why), isUnfinished: true };
  }
  if (answer!.status !== 200) return undecided(`The service answered with status ${answer!.status}.`);
  const given = parse(answer!.body);
  if (!given) return undecided('The answer of the service is invalid.');
  const { decision, reasons = [], findings = [], reference } = given;
  const result = {
    proposal: decision,
    reasons,
    findings: findings.map((text) => ({ field: 'note' as const, result: 'unclear' as const, text })),
    ...(reference !== undefined && { reference }),
  };
  if (decision === 'rejected') return { decision, reasons, result, lookedAt: [] };
  return { decision, result, lookedAt: [], ...(decision === 'accepted' && { evidence: ELSEWHERE }) };
}

/** Returns undefined for anything but an answer of the protocol: reasons belong to a rejection and to nothing else. */
function parse(body: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(body);
    if (faultsOf(answer).length > 0) return undefined;
    const { decision, reasons } = answer as Answer;
    return (decision === 'rejected') === (reasons !== undefined) ? (answer as Answer) : undefined;
  } catch {
    return undefined;
  }
}

function undecided(text: string): Verdict {
  const finding = { field: 'note', result: 'unclear', text } as const;
  return { decision: 'undecided', lookedAt: [], result: { proposal: 'undecided', reasons: [], findings: [finding] } };
}
