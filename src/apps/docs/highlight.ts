// Highlights code when a page is made, so that browsers need no script for it.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('json', json);
hljs.registerLanguage('python', python);
hljs.registerLanguage('sql', sql);
hljs.registerLanguage('typescript', typescript);

/** The names of fences in guides, and of samples. */
const LANGUAGES: Record<string, string> = {
  bash: 'bash',
  sh: 'bash',
  json: 'json',
  python: 'python',
  py: 'python',
  sql: 'sql',
  typescript: 'typescript',
  ts: 'typescript',
};

/** Returns HTML with classes for the parts of the code. Code of another language is only escaped. */
export function highlight(code: string, language: string): string {
  const known = LANGUAGES[language];
  if (known === undefined) return code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return hljs.highlight(code, { language: known }).value;
}
