// A proxy before a service that keeps each answer, for requests that another program sends.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './http.ts';
import type { TestScope } from './test-scope.ts';

export type RecordingProxy = {
  url: string;
  /** Returns the answers since the last call, with their paths. */
  take(): (Answer & { path: string })[];
};

export async function startRecordingProxy(t: TestScope, port: number): Promise<RecordingProxy> {
  let answers: (Answer & { path: string })[] = [];
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    // Without compression, so that the body can be read here.
    const { method, url: path = '', headers } = request;
    headers['accept-encoding'] = 'identity';
    const outgoing = http.request({ agent, host: '127.0.0.1', port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => {
        const content = Buffer.concat(chunks);
        const text = content.toString();
        const isJson = /json/.test(incoming.headers['content-type'] ?? '');
        const status = incoming.statusCode!;
        answers.push({ path, status, headers: incoming.headers, text, body: isJson && text ? JSON.parse(text) : undefined });
        response.writeHead(status, incoming.headers).end(content);
      });
    });
    request.pipe(outgoing);
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
      const taken = answers;
      answers = [];
      return taken;
    },
  };
}
