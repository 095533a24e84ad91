// Draws the reference: the document of this service with the examples of its sandbox, the search, and the token of the tab.
import { openSearch } from './search.js';
import { openToken } from './token.js';

/** Operations with a path of these take client credentials in place of a token. */
const WITHOUT_TOKEN = /^\/token(\/|$)/;

const settings = JSON.parse(document.body.dataset.settings);
followColorScheme();
const token = openToken(settings);
const spec = await readDocument();
const search = openSearch(spec);
const ui = window.SwaggerUIBundle({
  dom_id: '#reference',
  spec,
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Nothing is asked of other servers, and nothing is taken from the address.
  validatorUrl: null,
  queryConfigEnabled: false,
  // The search of the page, in place of one that knows only the names of groups.
  plugins: [() => ({ fn: { opsFilter: search.filter }, components: { FilterContainer: () => null } })],
  requestInterceptor: async (request) => {
    if (!takesToken(request.url)) return request;
    const authorization = await token.authorization();
    return authorization ? { ...request, headers: { ...request.headers, Authorization: authorization } } : request;
  },
  responseInterceptor: (response) => {
    if (response.status === 401 && takesToken(response.url)) token.refuse();
    return response;
  },
});
search.begin((text) => ui.layoutActions.updateFilter(text));

/** The document, with the token left to this page: its forms for credentials are not shown. */
async function readDocument() {
  let text = await (await fetch('/openapi.json')).text();
  for (const [from, to] of settings.replace) text = text.replaceAll(from, to);
  const read = JSON.parse(text);
  for (const operation of Object.values(read.paths).flatMap((item) => Object.values(item))) {
    const scopes = (operation.security ?? read.security ?? []).flatMap(({ application }) => application ?? []);
    if (scopes.length > 0) operation.description = `${operation.description}\n\nScope: \`${scopes.join(' ')}\``;
    delete operation.security;
  }
  delete read.security;
  delete read.components.securitySchemes;
  read.servers = [{ url: '/' }];
  return read;
}

function takesToken(url) {
  const { origin, pathname } = new URL(url, location.href);
  return origin === location.origin && !WITHOUT_TOKEN.test(pathname);
}

function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}
