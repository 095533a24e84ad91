// The search of the reference. Every word must occur in an operation's tag, path, summary, description or parameters.

export function openSearch(spec) {
  const groups = new Map(spec.tags.map(({ name, description }) => [name, description]));
  const texts = new Map();
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item))
      texts.set(`${method} ${path}`, textOf(spec, groups, { path, method, operation }));
  }
  const matches = (key, phrase) => wordsOf(phrase).every((word) => texts.get(key)?.includes(word));

  return {
    /** Filters the tagged operations of Swagger UI. */
    filter(taggedOperations, phrase) {
      const isMatch = (operation) => matches(`${operation.get('method')} ${operation.get('path')}`, phrase);
      return taggedOperations
        .map((group) => group.update('operations', (operations) => operations.filter(isMatch)))
        .filter((group) => group.get('operations').size > 0);
    },

    /** Handles input, including text typed while the page was loading. */
    begin(show) {
      const input = document.getElementById('search');
      const status = document.getElementById('found');
      const search = () => {
        const phrase = input.value.trim();
        const count = [...texts.keys()].filter((key) => matches(key, phrase)).length;
        status.textContent = phrase ? `${count === 0 ? 'No' : count} ${count === 1 ? 'operation' : 'operations'}` : '';
        document.body.toggleAttribute('data-searching', phrase !== '');
        show(phrase);
        scrollTo(0, 0);
      };
      input.addEventListener('input', search);
      if (input.value) search();
    },
  };
}

function textOf(spec, groups, { path, method, operation }) {
  const { operationId, summary, description, tags = [], parameters = [] } = operation;
  const resolved = parameters.map((parameter) => (parameter.$ref ? resolve(spec, parameter.$ref) : parameter));
  return [
    ...tags.flatMap((tag) => [tag, groups.get(tag)]),
    ...[method, path, operationId, summary, description],
    ...resolved.flatMap((parameter) => [parameter.name, parameter.description]),
  ]
    .join(' ')
    .toLowerCase();
}

/** Resolves a reference within the document (RFC 6901). */
function resolve(spec, reference) {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((value, name) => value[name.replaceAll('~1', '/').replaceAll('~0', '~')], spec);
}

function wordsOf(phrase) {
  return phrase.toLowerCase().split(/\s+/).filter(Boolean);
}
