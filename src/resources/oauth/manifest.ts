// The manifest of access tokens and the keys that sign them.
import type { Manifest } from '../../platform/manifest.ts';

export const oauth = {
  tags: [{ name: 'authentication', description: 'Access tokens, server metadata and verification keys' }],
  sealed: [{ table: 'signing_key', column: 'private_jwk', content: 'signing keys', context: sealingContext, key: 'kid' }],
} satisfies Manifest;

/** `id`: the `kid` of the signing key. */
export function sealingContext({ id }: { id: string }): string {
  return `signing_key:${id}`;
}
