// What every page of the service has: its head, its style sheets, and text that is safe in HTML.

/** A whole document; `body` is HTML already, with its tag. `styles` is a file of /docs, which page.css follows. */
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

/** Text as it stands in an element or an attribute. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
