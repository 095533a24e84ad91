// Conditional reads: an unchanged resource is not sent again (RFC 9110, If-None-Match).
import type { Answer, Request } from './send.ts';

type Wanted = { path: string; accept?: string; signal?: AbortSignal | undefined };

/** The most recent texts, each at most this long: at most some 3 MB, in memory only. */
const TEXTS_MAX = 100;
const LENGTH_MAX = 16_384;

/** Every read asks the service, which answers 304 if the text that was read before is still current. */
export function createReader(call: (request: Request) => Promise<Answer>) {
  const known = new Map<string, { tag: string; text: string }>();

  return async ({ path, accept, signal }: Wanted): Promise<string> => {
    const before = known.get(path);
    const headers = { ...(accept && { accept }), ...(before && { 'if-none-match': before.tag }) };
    const { status, headers: received, text: sent } = await call({ method: 'GET', path, headers, signal });
    const text = status === 304 && before ? before.text : sent;
    const tag = received.get('etag') ?? (status === 304 ? before?.tag : undefined);
    // The newest is the last one.
    known.delete(path);
    if (tag && text.length <= LENGTH_MAX) known.set(path, { tag, text });
    if (known.size > TEXTS_MAX) known.delete(known.keys().next().value!);
    return text;
  };
}
