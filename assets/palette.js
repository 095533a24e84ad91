// The palette of the console (⌘K, Ctrl-K, or the button), and the keys of lists: j, k and Enter. ? lists the keys.
const WAIT_MS = 120;
const link = document.querySelector('[data-find]');
let dialog;
let input;
let list;
let options = [];
let chosen = -1;
let asking;

/** Creates an element with attributes and content, which is text or elements. */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

function build() {
  input = make('input', {
    ...{ class: 'input', type: 'search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list' },
    ...{
      'aria-label': 'Find by id, name, reference or page',
      'aria-autocomplete': 'list',
      autocomplete: 'off',
      spellcheck: 'false',
    },
    ...{ maxlength: '255', placeholder: 'Id, name, reference or page' },
  });
  list = make('div', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results' });
  const status = make('p', { class: 'muted small', role: 'status' });
  dialog = make('dialog', { class: 'palette', 'aria-label': 'Find' }, input, list, status);
  document.body.append(dialog);
  let timer;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener('keydown', onKey);
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
}

function open() {
  if (!dialog) build();
  if (dialog.open) return;
  input.value = '';
  dialog.showModal();
  input.focus();
  ask();
}

/** Shows the results for the text. An answer for an earlier text is dropped. */
async function ask() {
  asking?.abort();
  asking = new AbortController();
  const status = dialog.querySelector('[role=status]');
  try {
    const answer = await fetch(`/console/find/results?${new URLSearchParams({ q: input.value })}`, { signal: asking.signal });
    if (!answer.ok) throw new Error(answer.status);
    show((await answer.json()).groups);
    status.textContent = options.length === 0 ? 'Nothing that you may see has this.' : '';
  } catch (error) {
    if (error.name === 'AbortError') return;
    show([]);
    status.textContent = 'The service did not answer. Press Enter for the page Find.';
  }
}

function show(groups) {
  options = [];
  list.replaceChildren(
    ...groups.map(({ name, hits }) =>
      make(
        'div',
        { role: 'group', 'aria-label': name },
        make('div', { class: 'palette-group', 'aria-hidden': 'true' }, name),
        ...hits.map(({ href, title, note }) => {
          const id = `palette-${options.length}`;
          const option = make(
            'a',
            { id, role: 'option', href, tabindex: '-1', 'aria-selected': 'false' },
            make('span', {}, title),
          );
          if (note) option.append(' ', make('span', { class: 'muted small' }, note));
          options.push(option);
          return option;
        }),
      ),
    ),
  );
  choose(options.length > 0 ? 0 : -1);
}

function choose(index) {
  options[chosen]?.setAttribute('aria-selected', 'false');
  chosen = index;
  const option = options[chosen];
  if (!option) return input.removeAttribute('aria-activedescendant');
  option.setAttribute('aria-selected', 'true');
  input.setAttribute('aria-activedescendant', option.id);
  option.scrollIntoView({ block: 'nearest' });
}

function onKey(event) {
  const { key } = event;
  if (key === 'Enter') {
    event.preventDefault();
    const target = options[chosen]?.href ?? `/console/find?${new URLSearchParams({ q: input.value })}`;
    dialog.close();
    return location.assign(target);
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!step || options.length === 0) return;
  event.preventDefault();
  choose((chosen + step + options.length) % options.length);
}

link?.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});

addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !link) return;
  event.preventDefault();
  if (dialog?.open) dialog.close();
  // A dialog that asks something keeps the keys.
  else if (!document.querySelector('dialog[open]')) open();
});
