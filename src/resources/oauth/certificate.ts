// The client certificate of a connection, which a proxy ended and reports in a header (RFC 8705, RFC 9440).
import { hash, X509Certificate } from 'node:crypto';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/** Returns the SHA-256 thumbprint of the certificate; undefined without one, and for a request that comes from no trusted proxy. */
export type CertificateOf = (request: Pick<FastifyRequest, 'headers' | 'raw'>) => string | undefined;

const HEADER_MAX_LENGTH = 12_000;
const CACHED_MAX = 1_000;
const PEM = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;
/** As Client-Cert has it, between colons, or without them. */
const BASE64 = /^:?([A-Za-z0-9+/]+={0,2}):?$/;

/** Only the address from which a request arrives counts: what it says about earlier ones is what a client may have written. */
export function openCertificates(config: Pick<Config, 'clientCertificateHeader' | 'trustProxy'>): CertificateOf {
  const { clientCertificateHeader: name, trustProxy } = config;
  if (name === undefined || trustProxy === undefined) return () => undefined;
  const isTrusted = proxyAddress.compile(trustProxy);
  const cached = new Map<string, string | undefined>();
  return ({ headers, raw }) => {
    const text = headers[name.toLowerCase()];
    if (typeof text !== 'string' || text.length > HEADER_MAX_LENGTH || !isTrusted(raw.socket.remoteAddress ?? '', 0))
      return undefined;
    if (!cached.has(text)) {
      if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value!);
      cached.set(text, thumbprintOf(text));
    }
    return cached.get(text);
  };
}

function thumbprintOf(text: string): string | undefined {
  const base64 = PEM.exec(decodePercent(text))?.[1] ?? BASE64.exec(text)?.[1];
  if (base64 === undefined) return undefined;
  try {
    const { raw } = new X509Certificate(Buffer.from(base64, 'base64'));
    return hash('sha256', raw, 'base64url');
  } catch {
    return undefined;
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
