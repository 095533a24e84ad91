// The frame of pages: escaping, static files with a hash, and the limits of their size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startService } from '../../../test/support/service.ts';
import { type Section, writePage } from './frame.ts';
import { html, renderDocument } from './html.ts';
import { badge, card, emptyState, field, pageHeader, pages, table } from './parts.ts';
import { time } from './time.ts';

const STYLES_MAX_BYTES = 30_000;
/** What a browser loads before it paints a page. */
const FIRST_PAGE_MAX_BYTES = 90_000;
const PAYLOAD = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`;

const shared = await startService({ after: (work) => test.after(work) });

test('text never becomes markup, in elements and in attributes', () => {
  const page = writePage({ title: PAYLOAD, main: html`<p title=${PAYLOAD} class=${PAYLOAD}>${PAYLOAD}${[PAYLOAD]}</p>` });
  assert.doesNotMatch(page, /<script>|<img/);
  assert.equal(page.split('alert(1)').length - 1, 5);
  assert.ok(page.includes('&amp;amp;'));
});

test('characters that turn a text around or are not shown have a visible sign', () => {
  const page = renderDocument(html`<p title=${'\u202eREKAB'}>${'\u202eREKAB'} ${'\u200b'} ${'نام\u200cخانوادگی'}</p>`);
  assert.ok(page.includes('<p title="\ufffdREKAB">\ufffdREKAB \ufffd نام\u200cخانوادگی</p>'), page);
});

test('the end of a line is a space beside text, and nothing between elements', () => {
  const page = renderDocument(html`<p>
    In the last
    ${30} days. It is in
    <code>a file</code>
    <b>now</b>, at
    ${'noon'}
    today.
  </p>`);
  assert.ok(page.includes('<p>In the last 30 days. It is in <code>a file</code><b>now</b>, at noon today. </p>'), page);
});

test('the files of a page are kept for a year under a hash, and other hashes are not kept', async () => {
  const page = await shared.send('GET', '/', { headers: { accept: 'text/html' } });
  const paths = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"#]+)"/g)].map(([, path]) => path!);
  assert.ok(
    paths.some((path) => path.endsWith('/shell.css')) && paths.some((path) => path.endsWith('/theme.js')),
    paths.join(' '),
  );
  let bytes = gzipSync(page.text).length;
  for (const path of new Set(paths)) {
    const file = await shared.send('GET', path);
    assert.deepEqual([file.status, file.headers['cache-control']], [200, 'public, max-age=31536000, immutable'], path);
    assert.match(String(file.headers['content-security-policy']), /style-src 'self';/);
    bytes += path.endsWith('.woff2') ? Number(file.headers['content-length']) : gzipSync(file.text).length;
    if (path.endsWith('.css')) assert.ok(file.text.length < STYLES_MAX_BYTES, `${file.text.length} bytes of styles`);
  }
  assert.ok(bytes < FIRST_PAGE_MAX_BYTES, `${bytes} bytes`);
  const other = await shared.send('GET', '/assets/000000000000/shell.css');
  assert.deepEqual([other.status, other.headers['cache-control']], [200, 'no-store'], 'a page of the version before still works');
  assert.equal((await shared.send('GET', '/assets/000000000000/none.css')).status, 404);
  assert.equal((await shared.send('GET', '/assets/000000000000/..%2fpackage.json')).status, 404);
});

test('markup and policy allow no inline script or style', async () => {
  const { text, headers } = await shared.send('GET', '/', { headers: { accept: 'text/html' } });
  assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|<script>/);
  assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/);
});

test('parts name what they show: tables have a caption and headers, fields a label, times a machine-readable form', () => {
  const navigation: Section[] = [{ title: 'Operate', links: [{ href: '/a', label: 'First', isCurrent: true, count: '3' }] }];
  const page = writePage({
    title: 'Parts',
    navigation,
    main: html`${pageHeader({ title: 'Labels', lead: badge('verified', 'good'), back: { href: '/b', label: 'Back' } })}
    ${card(
      { title: 'List' },
      table({ caption: 'Labels', columns: [{ label: 'Name' }, { label: 'Amount', isNumber: true }], rows: [['Rent', '1.00']] }),
    )}
    ${pages({ text: '1 of 2', next: '/c' })} ${emptyState({ icon: 'users', title: 'Nothing', text: 'Yet.' })}
    ${field({ id: 'name', label: 'Name', error: 'Required.' }, html`<input id="name" />`)} ${time(new Date(0), 'seconds')}`,
  });
  const parts = [
    '<a href="/a" aria-current="page"><span>First</span><span class="count">3</span></a>',
    '<caption class="visually-hidden">Labels</caption>',
    '<th scope="col" class="number">Amount</th>',
    '<th scope="row">Rent</th><td class="number" data-label="Amount">1.00</td>',
    '<label class="label" for="name">Name</label>',
    '<time datetime="1970-01-01T00:00:00.000Z" title="1970-01-01 00:00:00 UTC">1 Jan 1970, 00:00:00</time>',
    'rel="next"',
  ];
  for (const part of parts) assert.ok(page.includes(part), `${part} in ${page}`);
});
