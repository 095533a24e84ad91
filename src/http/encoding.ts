// Content codings (RFC 9110 §8.4): which one a client accepts, and the compression, which runs off the event loop.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';
/** How hard to compress: what is made once, or for each answer. Brotli above 9 takes seconds for a megabyte. */
export type Effort = 'once' | 'each';

/** The preferred one first. */
const ENCODINGS: Encoding[] = ['br', 'gzip'];
const BROTLI_QUALITY: Record<Effort, number> = { once: 9, each: 4 };
const GZIP_LEVEL: Record<Effort, number> = { once: 9, each: 6 };

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** The coding that an Accept-Encoding header (RFC 9110 §12.5.3) weighs most, or undefined to send the content as it is. */
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
