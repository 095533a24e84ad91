// A witness of transparency logs (C2SP tlog-witness): cosigns a checkpoint only if it extends the one that it cosigned last.
import http from 'node:http';
import { ADD_CHECKPOINT, parseAddCheckpoint, SIZE_TYPE } from './add-checkpoint.ts';
import { isEqual } from './bytes.ts';
import { type Checkpoint, parseCheckpoint, type Verifier } from './note.ts';
import { cosign, isSignedBy, type Signer } from './sign.ts';
import { EMPTY_ROOT, isConsistent } from './tree.ts';
import type { WitnessState } from './witness-state.ts';

type Answer = { status: number; body: string; type?: string };

/**
 * A checkpoint that the log signed, and that was not shown to extend the latest one that the witness cosigned. With equal sizes, the two notes
 * prove that the log has two histories.
 */
type Refused = { latest: string; submitted: string };

type Options = {
  state: WitnessState;
  /** The keys of the logs that the witness knows: the name of each is the origin of its log. */
  readLogs: () => Verifier[];
  onRefused: (refused: Refused) => void;
  onError: (error: unknown) => void;
};

const BODY_MAX_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const REASONS = {
  400: 'malformed',
  403: 'not signed',
  404: 'not found',
  405: 'POST only',
  413: 'too large',
  422: 'the proof does not lead from the old size to the checkpoint',
} as const;
const EMPTY: Pick<Checkpoint, 'size' | 'root'> = { size: 0, root: EMPTY_ROOT };

/** The HTTP server of a witness. The caller makes it listen. */
export function createWitness(options: Options): http.Server {
  const server = http.createServer((request, response) => {
    const send = ({ status, body, type = 'text/plain; charset=utf-8' }: Answer) => {
      if (status === 413) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
    };
    if (request.url !== ADD_CHECKPOINT) return send(refuse(404));
    if (request.method !== 'POST') return send(refuse(405));
    readBody(request)
      .then((body) => send(body === undefined ? refuse(413) : answer(body, options)))
      .catch((error: unknown) => {
        // The caller is gone, or the state cannot be read or stored: then nothing is cosigned.
        options.onError(error);
        response.headersSent ? response.destroy() : send({ status: 500, body: 'the witness has a fault\n' });
      });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server;
}

/** Answers a request, with the checks of the specification in its order. */
function answer(body: string, { state, readLogs, onRefused }: Options): Answer {
  const request = parseAddCheckpoint(body);
  const checkpoint = request && parseCheckpoint(request.note);
  if (!checkpoint) return refuse(400);
  const keys = readLogs().filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return refuse(404);
  if (!keys.some((key) => isSignedBy(request.note, key))) return refuse(403);
  if (request.old > checkpoint.size) return refuse(400);
  return state.advance(checkpoint.origin, (stored) => {
    const latest = stored === undefined ? EMPTY : parseCheckpoint(stored)!;
    const conflict = { status: 409, body: `${latest.size}\n`, type: SIZE_TYPE };
    if (request.old !== latest.size) return { result: conflict };
    if (!isConsistent(latest, checkpoint, request.proof)) {
      if (stored !== undefined) onRefused({ latest: stored, submitted: request.note });
      return { result: latest.size === checkpoint.size && !isEqual(latest.root, checkpoint.root) ? conflict : refuse(422) };
    }
    return { result: cosignedBy(state.signer, request.note), note: request.note };
  });
}

function cosignedBy(signer: Signer, note: string): Answer {
  return { status: 200, body: cosign(note, signer, Math.floor(Date.now() / 1000)) };
}

function refuse(status: keyof typeof REASONS): Answer {
  return { status, body: `${REASONS[status]}\n` };
}

/** The body of a request, or undefined if it is too large. */
async function readBody(request: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
