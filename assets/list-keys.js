// The keys of lists: j and k go to the next and the previous row with a link, Enter opens it. ? lists the keys.
const KEYS = [
  ['Ctrl K or ⌘ K', 'find anything'],
  ['j', 'next row of a list'],
  ['k', 'previous row'],
  ['Enter', 'open the row'],
  ['?', 'show these keys'],
];
const ROWS = 'main tbody tr, main .hits li';

function linkIn(row) {
  return row.querySelector('a[href]');
}

/** Goes to a row by its first link, which Enter then opens. */
function go(step) {
  const rows = [...document.querySelectorAll(ROWS)].filter(linkIn);
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[current < 0 ? (step > 0 ? 0 : rows.length - 1) : current + step];
  if (!next) return;
  linkIn(next).focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

let keys;

function listKeys() {
  // The review has a list of its own.
  const own = document.querySelector('[data-key-list]');
  if (own) return own.showModal();
  if (!keys) {
    const rows = KEYS.flatMap(([key, about]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, about)]);
    const close = make('form', { method: 'dialog' }, make('button', { class: 'button', type: 'submit' }, 'Close'));
    const title = make('h2', { id: 'list-keys-title' }, 'Keys');
    keys = make(
      'dialog',
      { class: 'keys', 'aria-labelledby': 'list-keys-title' },
      title,
      make('dl', { class: 'facts' }, ...rows),
      close,
    );
    document.body.append(keys);
  }
  keys.showModal();
}

const actions = { j: () => go(1), k: () => go(-1), '?': listKeys };

document.querySelector('[data-list-keys]')?.addEventListener('click', listKeys);

// The page of a document in the review has keys of its own.
if (!document.querySelector('.review')) {
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    const isTyping = target.matches('textarea, select, input:not([type=checkbox], [type=radio])');
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || document.querySelector('dialog[open]')) return;
    if (!Object.hasOwn(actions, key)) return;
    event.preventDefault();
    actions[key]();
  });
}
