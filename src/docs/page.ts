// The HTML of the API reference at /docs. The scripts in reference/ render its content.
import { escapeHtml, writeDocument } from './html.ts';

/** Settings of the scripts, passed as a data attribute. */
export type Settings = {
  isSandbox: boolean;
  /** Prefilled in the credentials form. */
  clientId: string;
  /** Replacements in the examples, such as ids of this sandbox. */
  replace: [from: string, to: string][];
};

export function writePage(settings: Settings): string {
  const hint = settings.isSandbox
    ? `<p class="hint"><b>This is a sandbox.</b> Press <b>Authorize</b>, then try any request: the examples use the ids of your sandbox.</p>`
    : '';
  return writeDocument({
    title: 'Earmark: API reference',
    styles: 'swagger-ui.css',
    body: `<body data-settings="${escapeHtml(JSON.stringify(settings))}">
<header>
<div class="bar">
<a class="brand" href="/">Earmark</a>
<input id="search" type="search" placeholder="Search operations" aria-label="Search operations" autocomplete="off" spellcheck="false">
<p id="found" role="status"></p>
<a class="quiet" href="/openapi.json">openapi.json</a>
<span id="token" role="status"></span>
<button id="authorize" type="button">Authorize</button>
</div>
</header>
${hint}
<main id="reference"><p class="hint">The reference is loading. It needs JavaScript.</p></main>
<dialog id="credentials" aria-labelledby="credentials-title">
<form method="dialog">
<h2 id="credentials-title">Authorize</h2>
<p>The service issues an access token for these credentials. This tab stores the token until it expires. It does not store the secret.</p>
<p id="refusal" role="alert" hidden></p>
<label>client_id <input name="client_id" required autocomplete="off" spellcheck="false"></label>
<label>client_secret <input name="client_secret" type="password" required autocomplete="off"></label>
<div class="buttons"><button type="button" class="quiet" value="cancel">Cancel</button><button>Get a token</button></div>
</form>
</dialog>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>
</body>`,
  });
}
