// Keeps what is typed in the other forms of a page when one of them is sent, and enters it again on the page that follows.
const KEY = `drafts of ${location.pathname}`;
const FORMS = document.querySelectorAll('main form');
const FIELDS = 'input:not([type="hidden"]), select';

function nameOf(form) {
  return `${form.getAttribute('action')} ${form.elements.namedItem('item')?.value ?? ''}`;
}

function defaultOf(field) {
  if (field.options === undefined) return field.defaultValue;
  const options = [...field.options];
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value;
}

function save({ target }) {
  const drafts = {};
  for (const form of FORMS) {
    if (form === target) continue;
    for (const field of form.querySelectorAll(FIELDS))
      if (field.value !== defaultOf(field)) drafts[`${nameOf(form)} ${field.name}`] = field.value;
  }
  sessionStorage.setItem(KEY, JSON.stringify(drafts));
}

function restore() {
  const drafts = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  sessionStorage.removeItem(KEY);
  for (const form of FORMS) {
    for (const field of form.querySelectorAll(FIELDS)) {
      const draft = drafts[`${nameOf(form)} ${field.name}`];
      if (draft !== undefined) field.value = draft;
    }
  }
}

restore();
document.querySelector('main').addEventListener('submit', save);
