// `earmark listen`: forwards the events of an account as signed webhooks to a developer's machine, without a subscription.
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../platform/config/config.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import { openSender, type Sender } from '../../platform/http/send.ts';
import { webhookPublicKey } from '../../resources/oauth/signing-key.ts';
import { requestHeaders, type Signers } from '../../resources/webhooks/sign.ts';
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
const SEED_BYTES = 32;
/** PKCS #8 of an Ed25519 private key, before its seed (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
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
  const privateKey = keyFor(secret);
  const publicKey = webhookPublicKey(createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string });
  const signers: Signers = { secrets: [secret], privateKeys: [privateKey] };
  const post = forwarder(sender, { url: forward, signers, vendor: config.mediaTypeVendor });

  const follow = await openFeed(access, mediaType);
  print({ forward, secret, publicKey }, `Forwarding events to ${forward}, signed with ${secret} and the key of ${publicKey}`);
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

/** The key pair of a secret, so that a receiver with `--secret` has the same public key after a restart. */
function keyFor(secret: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'earmark listen', SEED_BYTES));
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function forwarder(sender: Sender, { url, signers, vendor }: { url: string; signers: Signers; vendor: string }) {
  return (event: FeedEvent) => {
    const body = JSON.stringify({ ...event, timestamp: event.created });
    const webhook = { id: webhookIdOf(LISTENER, event.id), topic: event.topic };
    return sender.send({ url, headers: requestHeaders(vendor, signers, webhook, { body, sent: new Date() }), body });
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
