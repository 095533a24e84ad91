// A proxy before a service that records the requests of other programs, and can answer one without the service.
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
  answer: Answer;
};

type RecordingProxy = {
  url: string;
  /** Returns the exchanges since the last call. */
  take(): Exchange[];
  /** The next request that is not for a token gets the answer of this exchange; the service does not get it. */
  answerNext(exchange: Exchange): void;
};

const TOKEN = '/token';

export async function startRecordingProxy(t: TestScope, port: number): Promise<RecordingProxy> {
  let exchanges: Exchange[] = [];
  let prepared: Exchange | undefined;
  const agent = new http.Agent({ keepAlive: true });

  async function forward({ method, path, headers, content }: Omit<Exchange, 'answer'>): Promise<Answer> {
    // Without compression, so that the body can be read here.
    const how = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, 'accept-encoding': 'identity' } };
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) =>
      http.request(how, resolve).once('error', reject).end(content),
    );
    const text = (await buffer(incoming)).toString();
    const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
    return { status: incoming.statusCode!, headers: incoming.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  const server = http.createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const sent = { method, path, headers, content: await buffer(request) };
    const known = prepared && (path !== TOKEN || prepared.path === TOKEN) ? prepared : undefined;
    if (known) prepared = undefined;
    const answer = known?.answer ?? (await forward(sent));
    exchanges.push({ ...sent, answer });
    const { 'transfer-encoding': _chunked, ...answered } = answer.headers;
    response.writeHead(answer.status, answered).end(answer.text);
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
    answerNext(exchange) {
      prepared = exchange;
    },
  };
}
