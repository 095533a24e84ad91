// Keeps what is typed in the other forms of a page when one of them is sent, and enters it again on the page that follows.
const KEY = `drafts of ${location.pathname}`;
const FIELDS = [...document.querySelectorAll('main form :is(input:not([type="hidden"]), select)')];

/** Names a field by its form and the item of that form in a list. */
function nameOf({ form, name }) {
  return `${form.getAttribute('action')} ${form.elements.namedItem('item')?.value ?? ''} ${name}`;
}

function defaultOf(field) {
  if (field.options === undefined) return field.defaultValue;
  const options = [...field.options];
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value;
}

function save({ target }) {
  const typed = FIELDS.filter((field) => field.form !== target && field.value !== defaultOf(field));
  sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(typed.map((field) => [nameOf(field), field.value]))));
}

function restore() {
  const drafts = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  sessionStorage.removeItem(KEY);
  for (const field of FIELDS) field.value = drafts[nameOf(field)] ?? field.value;
}

restore();
document.querySelector('main').addEventListener('submit', save);
