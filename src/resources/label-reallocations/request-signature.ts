// The signature of the request for a reallocation: what the routes accept, and how the reallocation shows it.
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { CHECKED_LATER } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import type { Evidence } from '../../ledger/transfers/evidence.ts';
import { CreationHeaders } from '../../platform/http/route.ts';
import type { Authority } from '../oauth/authority.ts';
import { isSigned, isStillValid } from '../oauth/request-signature.ts';

/** All headers of a request together have at most so many bytes: Node.js answers 431 otherwise. */
const FIELD_LENGTH = 16_384;

const field = (description: string) => Type.Optional(Type.String({ description, [CHECKED_LATER]: { maxLength: FIELD_LENGTH } }));

/** The headers of a POST that keeps the signature of its request. */
export const SignedHeaders = Type.Object({
  ...CreationHeaders.properties,
  'Signature-Input': field(
    'What `Signature` covers (RFC 9421): `@method`, `@target-uri` (or `@authority` and `@path`), `content-digest`, and `idempotency-key` if there is one; with `created`, within 60 seconds, and `keyid`, the `kid` or thumbprint of a key of the application. Optional: `alg`, `expires`, `nonce`.',
  ),
  Signature: field('ecdsa-p256-sha256, ed25519 or rsa-pss-sha512, as the key is. A wrong or incomplete signature moves nothing.'),
  'Content-Digest': field('SHA-256 or SHA-512 of the body (RFC 9530).'),
});

export const SignatureSchema = Type.Object(
  {
    applicationId: Type.String(),
    keyId: Type.String(),
    thumbprint: Type.String({ description: 'Of the key (RFC 7638).' }),
    publicKey: Type.Object({}, { additionalProperties: true, description: 'The key as it was then, a JWK.' }),
    algorithm: Type.String(),
    signed: Type.String({ format: 'date-time' }),
    base: Type.String({ description: 'The text that is signed (RFC 9421 §2.5).' }),
    signature: Type.String({ description: 'In base64.' }),
    content: Type.Optional(Type.String({ description: 'The body of the request, whose digest is signed.' })),
    valid: Type.Boolean({ description: 'Whether signature and digest, as stored, fit now.' }),
  },
  {
    title: 'RequestSignature',
    description:
      'Evidence of who asked: the signature of the request (RFC 9421). Present for a signed one, until its customer is erased.',
  },
);

/** The members of the body that are texts of the client. */
export const TEXTS = ['reference', 'correlationId', 'externalId', 'metadata'] as const;

/** Verifies the signature of a request, if it has one. */
export function evidenceOf(
  authority: Pick<Authority, 'requestSignatures'>,
  request: FastifyRequest,
): Promise<Evidence> | undefined {
  if (!isSigned(request)) return undefined;
  const { raw, method, url, caller, body, signedContent: content } = request;
  const hasTexts = TEXTS.some((name) => Object.hasOwn((body as object | undefined) ?? {}, name));
  return authority.requestSignatures.verify({ raw, method, url, caller, content, hasTexts });
}

export function representSignature(evidence: Evidence): Static<typeof SignatureSchema> {
  const { signedS, hasTexts: _hasTexts, ...shown } = evidence;
  return { ...shown, signed: new Date(signedS * 1000).toISOString(), valid: isStillValid(evidence) };
}
