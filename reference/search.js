// The search of the reference: every word must be in an operation's group, path, summary, description or parameters.

export function openSearch(spec) {
  const groups = new Map(spec.tags.map(({ name, description }) => [name, description]));
  const texts = new Map();
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item))
      texts.set(`${method} ${path}`, textOf(spec, groups, { path, method, operation }));
  }
  const finds = (key, phrase) => wordsOf(phrase).every((word) => texts.get(key)?.includes(word));

  return {
    /** Of Swagger UI's groups of operations, those that are found. */
    filter(taggedOperations, phrase) {
      const found = (each) => finds(`${each.get('method')} ${each.get('path')}`, phrase);
      return taggedOperations
        .map((group) => group.update('operations', (operations) => operations.filter(found)))
        .filter((group) => group.get('operations').size > 0);
    },

    /** Takes what is typed from now on, and what was typed while the page was loading. */
    begin(show) {
      const input = document.getElementById('search');
      const status = document.getElementById('found');
      const search = () => {
        const phrase = input.value.trim();
        const count = [...texts.keys()].filter((key) => finds(key, phrase)).length;
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
  const given = parameters.map((parameter) => (parameter.$ref ? resolve(spec, parameter.$ref) : parameter));
  return [
    ...tags.flatMap((tag) => [tag, groups.get(tag)]),
    ...[method, path, operationId, summary, description],
    ...given.flatMap((parameter) => [parameter.name, parameter.description]),
  ]
    .join(' ')
    .toLowerCase();
}

/** What a reference within the document (RFC 6901) names. */
function resolve(spec, reference) {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((value, name) => value[name.replaceAll('~1', '/').replaceAll('~0', '~')], spec);
}

function wordsOf(phrase) {
  return phrase.toLowerCase().split(/\s+/).filter(Boolean);
}
