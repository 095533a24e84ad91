// Connections of `pg`: to the server of a URL, or to the one of several that takes writes. `pg` itself knows one server only.
import pg from 'pg';
import { readServers } from '../config/database-url.ts';

/** No server of a URL of several takes writes now. The message names each and its reason. */
export class NoPrimaryError extends Error {}

/** A server that answers takes no writes. */
class ReadOnlyServerError extends Error {}

type Address = { host: string; port: number };
type Search = { find(limitMs: number): Promise<Address>; forget(): void };

const DEFAULT_LIMIT_MS = 10_000;
const searches = new Map<string, Search>();

/** Makes a client for a URL of one or several servers. `connect` of a client for several finds the one that takes writes. */
export function newClient(url: string, options: pg.ClientConfig = {}): pg.Client {
  const { Client, connectionString } = clientOf(url);
  return new Client({ ...options, connectionString });
}

/** The class of the clients for a URL, and the URL that they take: options of a pool. */
export function clientOf(url: string): { Client: typeof pg.Client; connectionString: string } {
  const { urls, target } = readServers(url);
  const [first] = urls;
  if (first === undefined) throw new NoPrimaryError('DATABASE_URL names no server');
  if (urls.length === 1 && target === undefined) return { Client: pg.Client, connectionString: url };
  let search = searches.get(url);
  if (!search) {
    search = openSearch(urls);
    searches.set(url, search);
  }
  return { Client: classFor(search), connectionString: first };
}

function classFor(search: Search): typeof pg.Client {
  return class extends pg.Client {
    readonly #limitMs: number;

    constructor(config: pg.ClientConfig) {
      super(config);
      this.#limitMs = config.connectionTimeoutMillis || DEFAULT_LIMIT_MS;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
      const connecting = this.#connectToPrimary();
      if (!callback) return connecting;
      connecting.then(
        () => process.nextTick(callback, null, this),
        (error: Error) => process.nextTick(callback, error),
      );
      return undefined;
    }

    async #connectToPrimary(): Promise<pg.Client> {
      const deadlineMs = performance.now() + this.#limitMs;
      Object.assign(this, await search.find(this.#limitMs));
      // A pool that gave up waiting has closed the socket, which would connect again.
      if (performance.now() > deadlineMs) throw new Error('timeout expired');
      // The server may have failed, or have become a standby. The next connection looks for the primary again.
      this.once('end', search.forget);
      try {
        return await super.connect();
      } catch (error) {
        search.forget();
        throw error;
      }
    }
  };
}

/** Asks all servers at once, because one that hangs must not delay the others. Concurrent callers share an answer. */
function openSearch(urls: string[]): Search {
  let known: Promise<Address> | undefined;
  return {
    find(limitMs) {
      if (known) return known;
      const search: Promise<Address> = askAll(urls, limitMs).catch((error: unknown) => {
        if (known === search) known = undefined;
        throw error;
      });
      known = search;
      return search;
    },
    forget() {
      known = undefined;
    },
  };
}

async function askAll(urls: string[], limitMs: number): Promise<Address> {
  try {
    return await Promise.any(urls.map((url) => ask(url, limitMs)));
  } catch (error) {
    throw new NoPrimaryError(`none of the servers takes writes: ${(error as AggregateError).errors.map(messageOf).join('; ')}`, {
      cause: error,
    });
  }
}

/** Returns the address of a server that takes writes. */
async function ask(url: string, limitMs: number): Promise<Address> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limitMs, query_timeout: limitMs });
  client.on('error', () => {});
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean; readOnly: string }>(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as "readOnly"`,
    );
    if (rows[0]!.standby) throw new ReadOnlyServerError('a standby');
    if (rows[0]!.readOnly === 'on') throw new ReadOnlyServerError('read-only');
    return { host, port };
  } catch (error) {
    const text = error instanceof ReadOnlyServerError ? `is ${error.message}` : `cannot be used (${messageOf(error)})`;
    throw new Error(`${host}:${port} ${text}`, { cause: error });
  } finally {
    // Not awaited: a server that hangs does not close.
    client.end().catch(() => {});
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
