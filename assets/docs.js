// Of every documentation page: copy buttons, the remembered language of samples, and results while typing.
import { find } from './docs-find.js';

const LANGUAGE = 'earmark.language';
const RESULTS_MAX = 8;
const COPIED_MS = 1500;

for (const figure of document.querySelectorAll('.code:not(.output)')) addCopyButton(figure);
rememberLanguage();
connectSearch(document.querySelector('.docs-search'));
document.querySelector('.side [aria-current="page"]')?.scrollIntoView({ block: 'nearest' });

function addCopyButton(figure) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  figure.append(button);
}

function rememberLanguage() {
  const radios = [...document.querySelectorAll('.tabs input')];
  for (const radio of radios) radio.addEventListener('change', () => keep(LANGUAGE, radio.value));
  const chosen = radios.find(({ value }) => value === kept(LANGUAGE));
  if (chosen) chosen.checked = true;
}

function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It lasts until the next page.
  }
}

/** Without this script the form leads to a page of results. */
function connectSearch(form) {
  const input = form.querySelector('input');
  const list = form.querySelector('#found');
  let index;
  const load = () => {
    index ??= fetch('/docs/search.json').then((response) => response.json());
    return index;
  };
  const close = () => {
    list.hidden = true;
  };
  input.addEventListener('focus', load);
  input.addEventListener('input', async () => {
    const found = find(await load(), input.value).slice(0, RESULTS_MAX);
    list.replaceChildren(...found.map(resultOf));
    list.hidden = found.length === 0;
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const stops = [input, ...list.querySelectorAll('a')];
    const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
  });
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /input|textarea|select/i.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
}

function resultOf({ title, url, kind }) {
  const link = document.createElement('a');
  link.href = url;
  const name = document.createElement('span');
  name.className = 'kind';
  name.textContent = kind;
  link.append(name, title);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
