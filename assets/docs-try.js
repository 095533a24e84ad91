// Try it: sends an operation to this sandbox, with a token that the page gets for itself and the ids of the sandbox.
const KEPT = 'earmark.sandbox';
/** A token is replaced when it has less than this left. */
const LEAST_MS = 30_000;
/** Where the id of a resource comes from that neither the sandbox nor an earlier response names. */
const LATEST = {
  'ledger-entries': ({ from }) => `/labels/${from}/ledger-entries?limit=1`,
  'label-reallocations': ({ customer }) => `/customers/${customer}/label-reallocations?limit=1`,
  'beneficial-owners': ({ customer }) => `/customers/${customer}/beneficial-owners`,
  events: () => '/events?limit=1',
  'webhook-subscriptions': () => '/webhook-subscriptions?limit=1',
  faults: () => '/sandbox/faults',
};

const details = document.querySelector('#try');
if (details) connect(details);

function connect(details) {
  const form = details.querySelector('form');
  details.hidden = false;
  details.addEventListener('toggle', () => details.open && prepare(form), { once: true });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch((error) => show(form, { line: error.message }));
  });
}

/** Fills in the ids of this sandbox, in the form and in the samples. */
async function prepare(form) {
  const session = await openSession(form);
  if (!session) return;
  for (const [example, own] of session.ids) replaceText(example, own);
  for (const field of form.elements) {
    for (const [example, own] of session.ids) field.value = field.type === 'file' ? '' : field.value.replaceAll(example, own);
    const { collection } = field.dataset;
    if (collection) field.value = (await latestOf(collection, session)) ?? field.value;
  }
}

/** Returns the token and the ids. Where the service gives none, the form asks for a token. */
async function openSession(form, { fresh = false } = {}) {
  const stored = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  if (!fresh && stored && stored.endsMs - Date.now() > LEAST_MS) return ready(form, stored);
  const response = await fetch('/docs/token', { method: 'POST' });
  const body = await response.json();
  if (!response.ok) {
    form.querySelector('.given-token').hidden = false;
    status(form, `${body.message} Paste the token that \`earmark sandbox env\` prints.`);
    return undefined;
  }
  const session = {
    token: body.access_token,
    endsMs: Date.now() + body.expires_in * 1000,
    ids: body.ids,
    own: body.own,
    made: {},
  };
  sessionStorage.setItem(KEPT, JSON.stringify(session));
  return ready(form, session);
}

function ready(form, session) {
  status(form, 'Uses a token and the ids of this sandbox.');
  return session;
}

function status(form, text) {
  form.querySelector('.session').textContent = text;
}

async function latestOf(collection, { token, own, made }) {
  if (made[collection]) return made[collection];
  if (own[collection]) return own[collection];
  const path = LATEST[collection]?.(own);
  if (!path) return undefined;
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) return undefined;
  return Object.values((await response.json())._embedded)[0][0]?.id;
}

async function send(form) {
  const { method, path, token: needsToken, confirm: question } = form.dataset;
  if (question && !confirm(question)) return;
  const session = needsToken ? await openSession(form) : undefined;
  const request = requestOf(form, { method, path, token: form.elements.token.value || session?.token });
  let response = await fetch(request.url, request.init);
  if (response.status === 401 && session) {
    const renewed = await openSession(form, { fresh: true });
    request.init.headers.authorization = `Bearer ${renewed?.token}`;
    response = await fetch(request.url, request.init);
  }
  const text = await response.text();
  const location = response.headers.get('location');
  if (location) remember(location);
  show(form, { line: `${response.status} ${response.statusText}`, location, text });
}

function requestOf(form, { method, path, token }) {
  const fields = [...form.elements].filter(({ dataset }) => dataset.in);
  const placed = (place) => fields.filter(({ dataset, value }) => dataset.in === place && value !== '');
  const filled = placed('path').reduce((url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(placed('query').map(({ name, value }) => [name, value]));
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  if (method === 'post') headers['idempotency-key'] = crypto.randomUUID();
  const body = bodyOf(fields, headers);
  return { url: query.size > 0 ? `${filled}?${query}` : filled, init: { method: method.toUpperCase(), headers, body } };
}

function bodyOf(fields, headers) {
  const json = fields.find(({ dataset }) => dataset.in === 'body');
  if (json?.value.trim()) {
    headers['content-type'] = 'application/json';
    return json.value;
  }
  const parts = fields.filter(({ dataset }) => dataset.in === 'form');
  if (parts.length === 0) return undefined;
  const form = new FormData();
  for (const part of parts) form.set(part.name, part.type === 'file' ? part.files[0] : part.value);
  return form;
}

/** The next page about this kind of resource is filled in with the new one. */
function remember(location) {
  const session = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  if (!session) return;
  const [id, collection] = new URL(location).pathname.split('/').reverse();
  session.made[collection] = id;
  sessionStorage.setItem(KEPT, JSON.stringify(session));
}

function show(form, { line, location, text }) {
  const code = document.createElement('code');
  code.textContent = [line, ...(location ? [`Location: ${location}`] : []), ...(text ? ['', pretty(text)] : [])].join('\n');
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.append(code);
  const figure = document.createElement('figure');
  figure.className = 'code';
  figure.append(pre);
  form.querySelector('.result').replaceChildren(figure);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Replaces an id in the samples of the page. */
function replaceText(from, to) {
  const walker = document.createTreeWalker(document.querySelector('.samples'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode } = walker;
    if (currentNode.data.includes(from)) currentNode.data = currentNode.data.replaceAll(from, to);
  }
}
