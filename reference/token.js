// The access token of this tab, stored until it expires or the tab closes. The sandbox issues it without credentials.
import { openForm } from './credentials.js';

const STORAGE_KEY = 'earmark.token';
/** A token with less lifetime left counts as expired. */
const LIFETIME_LEFT_MIN_MS = 5_000;

export function openToken({ isSandbox, clientId }) {
  const button = document.getElementById('authorize');
  const state = document.getElementById('token');
  const form = openForm(clientId, issueFor);
  let token = read();
  let expiry;

  const isFresh = () => token !== undefined && Date.now() < token.endsMs - LIFETIME_LEFT_MIN_MS;
  // An expired sandbox token is renewed at the next request.
  const isAuthorized = () => token?.isSandbox || isFresh();

  function keep(next) {
    token = next;
    write(next);
    show();
  }

  function show() {
    clearTimeout(expiry);
    state.textContent = isAuthorized() ? `Authorized${token.isSandbox ? '' : ` until ${timeOf(token.endsMs)}`}` : '';
    button.textContent = isAuthorized() ? 'Forget token' : 'Authorize';
    if (isAuthorized() && !token.isSandbox)
      expiry = setTimeout(() => keep(undefined), token.endsMs - LIFETIME_LEFT_MIN_MS - Date.now());
  }

  async function issueSandboxToken() {
    const issued = await issue('/docs/token');
    if (issued.token) keep({ ...issued.token, isSandbox: true });
    return issued.reason;
  }

  async function issueFor(credentials) {
    const issued = await issue('/token', new URLSearchParams({ grant_type: 'client_credentials', ...credentials }));
    if (issued.token) keep({ ...issued.token, isSandbox: false });
    return issued.reason;
  }

  button.addEventListener('click', async () => {
    if (isAuthorized()) return keep(undefined);
    if (!isSandbox) return form.ask();
    const reason = await issueSandboxToken();
    if (reason) form.ask(`${reason} Paste the client_secret of sandbox.json, in the data directory.`);
  });
  show();

  return {
    /** Returns the Authorization header, or undefined without a token. */
    async authorization() {
      if (token?.isSandbox && !isFresh()) await issueSandboxToken();
      return isFresh() ? `Bearer ${token.text}` : undefined;
    },
    /** Handles a refused token: a sandbox token is renewed at the next request, any other is removed. */
    refuse() {
      if (token) keep(token.isSandbox ? { ...token, endsMs: 0 } : undefined);
    },
  };
}

function timeOf(ms) {
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** Requests a token. Returns the token, or the reason of a failure. */
async function issue(path, body = null) {
  try {
    // `credentials: 'omit'` keeps the browser from opening its own login dialog on 401.
    const response = await fetch(path, { method: 'POST', body, credentials: 'omit' });
    const answer = await response.json();
    if (!response.ok) return { reason: answer.error_description ?? answer.message };
    return { token: { text: answer.access_token, endsMs: Date.now() + answer.expires_in * 1000 } };
  } catch {
    return { reason: 'The service does not respond.' };
  }
}

/** If the browser forbids storage, the token is lost when the page is closed. */
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(token) {
  try {
    if (token) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(token));
    else sessionStorage.removeItem(STORAGE_KEY);
  } catch {}
}
