// What a token is bound to: a key whose proof each request has (RFC 9449), or the client certificate of the connection (RFC 8705).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems, type Refusal, refuse } from '../../core/problems.ts';
import type { Application } from './application.ts';
import type { CertificateOf } from './certificate.ts';
import { ALGORITHMS } from './client-key.ts';
import type { Nonces } from './nonce.ts';
import { OAuthError } from './oauth-error.ts';
import { ProofError, type Proofs } from './proof.ts';
import type { Caller, Cnf } from './token.ts';

export type Presented = { scheme: 'Bearer' | 'DPoP'; token: string };

export type Bindings = {
  /** What a token is to be bound to, as the request for it proves. Throws a ProofError, or an OAuthError if something is missing. */
  begin(application: Application, request: FastifyRequest, reply: FastifyReply): Promise<Cnf | undefined>;
  /** Refuses a token that is bound to something that the request does not prove. */
  check(
    caller: Pick<Caller, 'applicationId' | 'cnf'>,
    presented: Presented,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void>;
};

const ALGS = `algs="${ALGORITHMS.join(' ')}"`;

type Options = { proofs: Proofs; nonces: Nonces | undefined; certificateOf: CertificateOf };

export function openBindings({ proofs, nonces, certificateOf }: Options): Bindings {
  /** Each response to a proof has the nonce for the next one. */
  const sendNonce = (reply: FastifyReply) => nonces && reply.header('dpop-nonce', nonces.current());

  return {
    async begin({ id, requiredBinding }, request, reply) {
      const proof = request.headers.dpop;
      const cnf: Cnf = {};
      if (requiredBinding === 'certificate') {
        const thumbprint = certificateOf(request);
        if (!thumbprint) throw new OAuthError('invalid_request', 'The application requires a client certificate.');
        cnf['x5t#S256'] = thumbprint;
      }
      if (proof === undefined) {
        if (requiredBinding === 'dpop') throw new OAuthError('invalid_dpop_proof', 'The application requires a DPoP proof.');
        return requiredBinding ? cnf : undefined;
      }
      sendNonce(reply);
      const proven = { applicationId: id, method: request.method, path: request.url };
      cnf.jkt = await proofs.check(proof, proven).catch((error: unknown) => {
        throw error instanceof ProofError ? new OAuthError(error.error, refusalOf(error)) : error;
      });
      return cnf;
    },
    async check({ applicationId, cnf }, { scheme, token }, request, reply) {
      const jkt = cnf?.jkt;
      if (jkt !== undefined && scheme === 'Bearer') {
        throw challenge('invalid_token', 'The token is bound to a key: send it as DPoP, with a proof.');
      }
      if (jkt === undefined && scheme === 'DPoP')
        throw challenge('invalid_token', 'The token is not bound to a key: send it as Bearer.');
      const thumbprint = cnf?.['x5t#S256'];
      if (thumbprint !== undefined && thumbprint !== certificateOf(request)) {
        throw refuse('invalidAccessToken', { message: explained('The token is bound to another client certificate.') });
      }
      if (jkt === undefined) return;
      sendNonce(reply);
      const proven = { applicationId, method: request.method, path: request.url, token, jkt };
      await proofs.check(request.headers.dpop, proven).catch((error: unknown) => {
        throw error instanceof ProofError ? challenge(error.error, refusalOf(error)) : error;
      });
    },
  };
}

function refusalOf({ message }: ProofError): string {
  return `The DPoP proof is refused: ${message}`;
}

/** RFC 9449 §7.1. */
function challenge(error: 'invalid_token' | ProofError['error'], why: string): Refusal {
  const header = `DPoP realm="earmark", error="${error}", error_description="${why}", ${ALGS}`;
  return refuse('invalidAccessToken', { message: explained(why), headers: { 'www-authenticate': header } });
}

function explained(why: string): string {
  return `${problems.invalidAccessToken.message} ${why}`;
}
