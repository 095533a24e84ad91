// Webhook subscriptions: schema, queries, representation and secrets. A subscription delivers an account's events to a URL.
import type { Static } from 'typebox';
import type { Fault } from '../../core/problems.ts';
import { CHECKED_LATER, NO_NUL } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { TOPICS, type Topic, TopicSchema } from '../events/event.ts';
import type { Authority } from '../oauth/authority.ts';
import { webhookPublicKey } from '../oauth/signing-key.ts';
import { sealingContext } from './manifest.ts';
import { isSecret } from './sign.ts';

export type Subscription = {
  bucket: number;
  id: string;
  accountId: string;
  url: string;
  topics: Topic[] | null;
  paused: boolean;
  /** The number of its webhooks. */
  webhooks: bigint;
  created: Date;
};

export type SubscriptionRequest = Static<typeof SubscriptionRequest>;
export type SubscriptionChange = Static<typeof SubscriptionChange>;

/** The sealed secrets of a row. */
export type SealedSecrets = { id: string; secret: Buffer; secretBefore: Buffer | null; secretBeforeExpires: Date | null };

const Secret = Type.String({
  minLength: 1,
  maxLength: 128,
  [CHECKED_LATER]: { pattern: NO_NUL },
  description:
    'The key that signs deliveries. Never returned. `whsec_` followed by base64 (Standard Webhooks) encodes the bytes of the key; any other text is the key itself.',
});

export const SubscriptionRequest = Type.Object(
  {
    url: Type.String({
      maxLength: 2048,
      description: 'URL that receives events by POST. Must be https in production.',
      [CHECKED_LATER]: { format: 'uri' },
    }),
    secret: Secret,
    topics: Type.Optional(
      Type.Array(TopicSchema, {
        minItems: 1,
        maxItems: TOPICS.length,
        uniqueItems: true,
        description: 'Topics to deliver. Default: all topics.',
      }),
    ),
  },
  { title: 'WebhookSubscriptionRequest' },
);

export const SecretRequest = Type.Object({ secret: Secret }, { title: 'WebhookSecretRequest' });

export const SubscriptionChange = Type.Object(
  {
    paused: Type.Boolean(),
    replay: Type.Optional(
      Type.Boolean({
        description: 'With `paused: false`: also deliver events from while the subscription was paused. Default: skip them.',
      }),
    ),
  },
  { title: 'WebhookSubscriptionChange' },
);

export const SubscriptionSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, webhooks: LinkSchema }),
    id: IdSchema,
    url: Type.String(),
    paused: Type.Boolean({
      description: 'Set by a request, by a 410 response, or after 400 consecutive failures and 24 hours without a success.',
    }),
    created: Type.String({ format: 'date-time' }),
    topics: Type.Optional(Type.Array(TopicSchema)),
    publicKeys: Type.Array(Type.String(), {
      description:
        'Ed25519 keys of the service, newest first: one of them has made each `v1a` signature of `webhook-signature` (Standard Webhooks). They rotate with the keys of `/.well-known/jwks.json`, which are the same.',
    }),
  },
  { title: 'WebhookSubscription' },
);

export const subscriptionColumns = fragment`bucket, id, account_id, url, topics, paused, webhooks, created`;

/** The subscription with this id, or undefined; a removed one is missing. */
export const findSubscription = lookUp<Subscription>(
  ({ bucket, id }) => fragment`
    select ${subscriptionColumns} from webhook_subscription where bucket = ${bucket} and id = ${id} and removed is null`,
);

/** Subscriptions of all accounts with a text in their URL, the newest first. */
export async function searchSubscriptions(sql: Sql, text: string, limit: number): Promise<Subscription[]> {
  return sql<Subscription>`
    select ${subscriptionColumns} from webhook_subscription
    where removed is null and position(lower(${text}) in lower(url)) > 0
    order by id desc limit ${limit}`;
}

/** Returns a subscription of the caller's account. Refuses as requireOwned does; a removed subscription is missing. */
export async function requireSubscription(sql: Sql, caller: { accountId: string }, id: string): Promise<Subscription> {
  return requireOwned(await findSubscription(sql, id), caller);
}

/** A page of an account's subscriptions, newest first, and the total. */
export async function listSubscriptions(
  sql: Sql,
  accountId: string,
  { limit, offset }: Page,
): Promise<{ elements: Subscription[]; total: number }> {
  const all = await subscriptionsOf(sql, accountId);
  return { elements: all.slice(offset, offset + limit), total: all.length };
}

/** An account's subscriptions, newest first. */
export async function subscriptionsOf(sql: Sql, accountId: string): Promise<Subscription[]> {
  return sql<Subscription>`
    select ${subscriptionColumns} from webhook_subscription
    where account_id = ${accountId} and removed is null
    order by created desc, id desc`;
}

export function represent(
  { links, authority }: { links: Links; authority: Pick<Authority, 'jwks'> },
  subscription: Subscription,
): Static<typeof SubscriptionSchema> {
  const { id, url, paused, topics, created } = subscription;
  return {
    _links: {
      self: links.to('webhook-subscription', id),
      webhooks: links.link(`/webhook-subscriptions/${id}/webhooks`, 'webhook'),
    },
    id,
    url,
    paused,
    created: created.toISOString(),
    ...(topics !== null && { topics }),
    publicKeys: authority.jwks().keys.map(webhookPublicKey),
  };
}

/** The fault of an invalid secret, or undefined. */
export function faultOfSecret(secret: string): Fault | undefined {
  if (isSecret(secret)) return undefined;
  const message = secret.startsWith('whpk_') ? 'Secret must not be a public key.' : 'Secret must have base64 after whsec_.';
  return { code: 'InvalidFormat', message, path: '/secret' };
}

export function sealSecret(sealer: Sealer, subscriptionId: string, secret: string): Buffer {
  return sealer.seal(secret, sealingContext({ id: subscriptionId }));
}

/** The secrets that are valid for signing, newest first. */
export function openSecrets(sealer: Sealer, sealed: SealedSecrets, now: Date): [string, ...string[]] {
  const open = (secret: Buffer) => sealer.open(secret, sealingContext(sealed)).toString();
  const { secret, secretBefore, secretBeforeExpires } = sealed;
  const before = secretBefore && secretBeforeExpires && secretBeforeExpires > now ? [open(secretBefore)] : [];
  return [open(secret), ...before];
}
