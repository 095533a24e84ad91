// Errors of the OAuth endpoints: one object with the members of RFC 6749 §5.2 and those of our error format.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';

const errors = {
  invalid_client: { status: 401, code: 'InvalidClient' },
  invalid_request: { status: 400, code: 'InvalidRequest' },
  unsupported_grant_type: { status: 400, code: 'UnsupportedGrantType' },
  invalid_scope: { status: 400, code: 'InvalidScope' },
  invalid_authorization_details: { status: 400, code: 'InvalidAuthorizationDetails' },
  invalid_dpop_proof: { status: 400, code: 'InvalidDpopProof' },
  use_dpop_nonce: { status: 400, code: 'UseDpopNonce' },
} as const;

export const OAuthErrorSchema = Type.Object(
  {
    error: Type.Enum(Object.keys(errors)),
    error_description: Type.String(),
    code: Type.Enum(Object.values(errors).map(({ code }) => code)),
    message: Type.String(),
  },
  { title: 'OAuthError', description: 'An OAuth error (RFC 6749 §5.2), with the `code` and `message` of other errors.' },
);

/** An error that is answered in the OAuth format. */
export class OAuthError extends Error {
  readonly error: keyof typeof errors;

  constructor(error: keyof typeof errors, description: string) {
    super(description);
    this.error = error;
  }
}

/** The error handler of the OAuth routes. Passes other errors on to the handler of the application. */
export function answerOAuthError(thrown: FastifyError, _request: FastifyRequest, reply: FastifyReply) {
  // Only a planned fault of the sandbox refuses an access token here.
  const isPlanned = thrown instanceof Refusal && thrown.problem === 'expiredAccessToken';
  const refusal = isPlanned ? new OAuthError('invalid_client', 'Client authentication failed.') : thrown;
  if (!(refusal instanceof OAuthError)) throw refusal;
  const { error, message } = refusal;
  const { status, code } = errors[error];
  reply.refusal = { code };
  if (status === 401) reply.header('www-authenticate', 'Basic realm="earmark"');
  return reply.code(status).send({ error, error_description: message, code, message });
}
