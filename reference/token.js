// The access token of this tab: got with one click in the sandbox, else for credentials; kept until it expires or the tab is closed.
import { openForm } from './credentials.js';

const KEPT = 'earmark.token';
/** A token that ends sooner is as good as expired. */
const LEFT_MS = 5_000;

export function openToken({ isSandbox, clientId }) {
  const button = document.getElementById('authorize');
  const state = document.getElementById('token');
  const form = openForm(clientId, getFor);
  let token = read();
  let expiry;

  const isFresh = () => token !== undefined && Date.now() < token.endsMs - LEFT_MS;
  // The sandbox's own is replaced when it is needed.
  const isAuthorized = () => token?.own || isFresh();

  function keep(next) {
    token = next;
    write(next);
    show();
  }

  function show() {
    clearTimeout(expiry);
    state.textContent = isAuthorized() ? `Authorized${token.own ? '' : ` until ${timeOf(token.endsMs)}`}` : '';
    button.textContent = isAuthorized() ? 'Forget token' : 'Authorize';
    if (isAuthorized() && !token.own) expiry = setTimeout(() => keep(undefined), token.endsMs - LEFT_MS - Date.now());
  }

  async function getOwn() {
    const issued = await issue('/docs/token');
    if (issued.token) keep({ ...issued.token, own: true });
    return issued.reason;
  }

  async function getFor(credentials) {
    const issued = await issue('/token', new URLSearchParams({ grant_type: 'client_credentials', ...credentials }));
    if (issued.token) keep({ ...issued.token, own: false });
    return issued.reason;
  }

  button.addEventListener('click', async () => {
    if (isAuthorized()) return keep(undefined);
    if (!isSandbox) return form.ask();
    const reason = await getOwn();
    if (reason) form.ask(`${reason} Paste the client_secret of sandbox.json, in the data directory.`);
  });
  show();

  return {
    /** The Authorization header of a request, or undefined without a token. */
    async authorization() {
      if (token?.own && !isFresh()) await getOwn();
      return isFresh() ? `Bearer ${token.text}` : undefined;
    },
    /** The service refused the token: the sandbox's own is replaced at the next request, another is forgotten. */
    refuse() {
      if (token) keep(token.own ? { ...token, endsMs: 0 } : undefined);
    },
  };
}

function timeOf(ms) {
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** A new token, or the reason why there is none. */
async function issue(path, body = null) {
  try {
    // Without credentials the browser does not open a form of its own when the service refuses these.
    const response = await fetch(path, { method: 'POST', body, credentials: 'omit' });
    const answer = await response.json();
    if (!response.ok) return { reason: answer.error_description ?? answer.message };
    return { token: { text: answer.access_token, endsMs: Date.now() + answer.expires_in * 1000 } };
  } catch {
    return { reason: 'The service does not answer.' };
  }
}

/** Storage can be forbidden in a browser; then the token lives as long as the page. */
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(token) {
  try {
    if (token) sessionStorage.setItem(KEPT, JSON.stringify(token));
    else sessionStorage.removeItem(KEPT);
  } catch {}
}
