// The page of the reference: what a browser is sent at /docs.

export type Settings = {
  /** Filled in where a token is asked for. */
  clientId: string;
  /** Ticked from the start. */
  scopes: string[];
  /** Texts of the examples and what to show in their place. */
  replace: [from: string, to: string][];
  /** Where the secret stands, in a sandbox. */
  secretFile: string | undefined;
};

export function writePage(settings: Settings): string {
  const { secretFile } = settings;
  const hint = secretFile
    ? `<p class="hint">This is a sandbox. Press <b>Authorize</b>, paste the <code>client_secret</code> of <code>${secretFile}</code> in the data
directory, then try any request: the examples are your sandbox’s own.</p>`
    : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Earmark: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body data-settings="${escaped(JSON.stringify(settings))}">
<header><a href="/docs">Earmark</a><a href="/openapi.json">openapi.json</a></header>
${hint}
<main id="reference"><p class="hint">The reference is being drawn. It needs JavaScript.</p></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
