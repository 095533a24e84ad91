// Shared HTML of the service's pages: the document frame, and escaping.

/** Writes a document. `body` is HTML including its tag. `styles` is a style sheet of /docs, loaded before page.css. */
export function writeDocument({ title, styles, body }: { title: string; styles: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/${styles}">
<link rel="stylesheet" href="/docs/page.css">
</head>
${body}
</html>
`;
}

/** Escapes text for an element or an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
