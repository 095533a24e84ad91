// `earmark listen`: forwards the events of an account as signed webhooks to a developer's machine, without a subscription.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../platform/config/config.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import { openSender, type Sender } from '../../platform/http/send.ts';
import { requestHeaders } from '../../resources/webhooks/sign.ts';
import { webhookIdOf } from '../../resources/webhooks/webhook.ts';
import { readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import { type Access, reach, requestToken, UnreachableError } from './call-service.ts';
import { CallError, UsageError } from './command.ts';
import { missingSandbox } from './sandbox.ts';
import { untilSignal } from './until-signal.ts';

type Options = { forward: string; secret: string | undefined; credentials: string | undefined };
type FeedEvent = { id: string; topic: string; created: string };
type Feed = { _embedded: { events: FeedEvent[] } };

const POLL_MS = 500;
const PAGE = 200;
const SECRET_BYTES = 24;
/** Replaces the subscription id in the ids of forwarded webhooks. */
const LISTENER = '00000000-0000-7000-8000-000000000000';
/** The user chose the URL, usually on this machine, so private addresses are allowed. */
const ANY_ADDRESS = { mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined } as const;

export async function listen({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const { forward } = options;
  if (!URL.canParse(forward)) throw new CallError(`--forward takes a URL like http://localhost:3000/webhooks; not ${forward}.`);
  const config = readConfig();
  const { credentials } = options;
  const access: Access | undefined = readCredentials(credentials ?? sandboxFile(config));
  if (!access) {
    const missing = credentials === undefined ? missingSandbox(config) : `There is no ${credentials}.`;
    throw new UsageError(
      `${missing} Start the sandbox, or name a file with base_url, client_id and client_secret by --credentials.`,
    );
  }
  const secret = options.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const mediaType = `application/vnd.${config.mediaTypeVendor}.v1.hal+json`;
  const sender = openSender(createAddressPolicy(ANY_ADDRESS));
  const stopping = new AbortController();
  untilSignal().then(() => {
    stopping.abort();
    sender.close();
  });
  const print = (shown: Record<string, unknown>, line: string) =>
    process.stdout.write(`${json ? JSON.stringify(shown) : line}\n`);
  const post = forwarder(sender, { url: forward, secret, vendor: config.mediaTypeVendor });

  const follow = await openFeed(access, mediaType);
  print({ forward, secret }, `Forwarding events to ${forward}, signed with ${secret}`);
  while (!stopping.signal.aborted) {
    const events = await follow().catch((error: unknown) => {
      // Keeps polling while the service restarts.
      if (!(error instanceof UnreachableError || error instanceof TypeError)) throw error;
      return [];
    });
    for (const event of events) {
      const { answer, error } = await post(event);
      if (stopping.signal.aborted) break;
      const result = error ?? String(answer?.status);
      print(
        { event: event.id, topic: event.topic, status: answer?.status, error },
        `${event.created}  ${event.topic}  → ${result}`,
      );
    }
    if (events.length === 0) await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
  return 0;
}

function forwarder(sender: Sender, { url, secret, vendor }: { url: string; secret: string; vendor: string }) {
  return (event: FeedEvent) => {
    const body = JSON.stringify({ ...event, timestamp: event.created });
    const webhook = { id: webhookIdOf(LISTENER, event.id), topic: event.topic };
    return sender.send({ url, headers: requestHeaders(vendor, [secret], webhook, { body, sent: new Date() }), body });
  };
}

/** Returns a function that reads the events since its previous call. */
async function openFeed(access: Access, mediaType: string): Promise<() => Promise<FeedEvent[]>> {
  const get = reader(access, mediaType);
  let last = (await get('/events?limit=1'))._embedded.events[0]?.id;
  return async () => {
    const from = last === undefined ? 'order=oldest' : `after=${last}`;
    const { events } = (await get(`/events?limit=${PAGE}&${from}`))._embedded;
    last = events.at(-1)?.id ?? last;
    return events;
  };
}

/** Returns a function that reads a path with an access token, which it renews when it has expired. */
function reader(access: Access, mediaType: string) {
  const { base_url } = access;
  let token: string | undefined;
  const get = (path: string) => reach(`${base_url}${path}`, { headers: { accept: mediaType, authorization: `Bearer ${token}` } });
  return async (path: string): Promise<Feed> => {
    token ??= await requestToken(access);
    let response = await get(path);
    if (response.status === 401) {
      token = await requestToken(access);
      response = await get(path);
    }
    if (!response.ok) throw new UsageError(`${base_url}${path} returned ${response.status}.`);
    return (await response.json()) as Feed;
  };
}
