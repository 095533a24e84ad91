// Content codings (RFC 9110 §8.4): negotiation, and compression outside of the event loop.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';
/** Compression effort: for cached content (`once`) or for each response. Brotli above 9 takes seconds for a megabyte. */
type Effort = 'once' | 'each';

/** In order of preference. */
const ENCODINGS: Encoding[] = ['br', 'gzip'];
const BROTLI_QUALITY: Record<Effort, number> = { once: 9, each: 4 };
const GZIP_LEVEL: Record<Effort, number> = { once: 9, each: 6 };

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Returns the supported coding with the highest weight in Accept-Encoding (RFC 9110 §12.5.3), or undefined for none. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (!acceptEncoding) return undefined;
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight));
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = ENCODINGS.reduce((first, second) => (weightOf(second) > weightOf(first) ? second : first));
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function readWeight(part: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}

export function compress(content: string | Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> {
  return encoding === 'br'
    ? compressors.br(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] } })
    : compressors.gzip(content, { level: GZIP_LEVEL[effort] });
}
