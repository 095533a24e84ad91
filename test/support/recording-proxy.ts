// A proxy before a service that records the requests of other programs.
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Answer } from './http.ts';
import type { TestScope } from './test-scope.ts';

export type Exchange = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  content: Buffer;
  answer: Answer & { bytes: Buffer };
};

type RecordingProxy = {
  url: string;
  /** Returns the exchanges since the last call. */
  take(): Exchange[];
};

export async function startRecordingProxy(t: TestScope, port: number): Promise<RecordingProxy> {
  let exchanges: Exchange[] = [];
  const agent = new http.Agent({ keepAlive: true });

  async function forward({ method, path, headers, content }: Omit<Exchange, 'answer'>): Promise<Exchange['answer']> {
    // Without compression, so that the body can be read here.
    const how = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, 'accept-encoding': 'identity' } };
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) =>
      http.request(how, resolve).once('error', reject).end(content),
    );
    const bytes = await buffer(incoming);
    const text = bytes.toString();
    const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
    return { status: incoming.statusCode!, headers: incoming.headers, text, bytes, body: isJson ? JSON.parse(text) : undefined };
  }

  const server = http.createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const sent = { method, path, headers, content: await buffer(request) };
    const answer = await forward(sent);
    exchanges.push({ ...sent, answer });
    const { 'transfer-encoding': _chunked, ...answered } = answer.headers;
    response.writeHead(answer.status, answered).end(answer.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = exchanges;
      exchanges = [];
      return taken;
    },
  };
}
