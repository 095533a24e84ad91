// Renders the API reference: the OpenAPI document with this sandbox's ids, the search, and the tab's token.
import { openSearch } from './search.js';
import { openToken } from './token.js';

/** Paths of operations that use client credentials instead of a token. */
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
  // Sends no request to other servers, and reads no configuration from the URL.
  validatorUrl: null,
  queryConfigEnabled: false,
  // Replaces the filter of Swagger UI, which searches tag names only.
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

/** Reads the document and removes its security schemes: this page adds the token, so Swagger UI shows no credential forms. */
async function readDocument() {
  let text = await (await fetch('/openapi.json')).text();
  for (const [from, to] of settings.replace) text = text.replaceAll(from, to);
  const spec = JSON.parse(text);
  for (const operation of Object.values(spec.paths).flatMap((item) => Object.values(item))) {
    const scopes = (operation.security ?? spec.security ?? []).flatMap(({ application }) => application ?? []);
    if (scopes.length > 0) operation.description = `${operation.description}\n\nScope: \`${scopes.join(' ')}\``;
    delete operation.security;
  }
  delete spec.security;
  delete spec.components.securitySchemes;
  spec.servers = [{ url: '/' }];
  return spec;
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
