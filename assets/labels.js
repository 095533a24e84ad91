// Suggests labels while a name is typed, for customers with more labels than a list holds.
const WAIT_MS = 120;

for (const input of document.querySelectorAll('[data-labels]')) suggest(input);

function suggest(input) {
  const first = [...input.list.children];
  let timer;
  let asking;
  /** An answer for an earlier text is dropped. Without an answer the field takes a whole name. */
  async function ask() {
    asking?.abort();
    asking = new AbortController();
    try {
      const query = new URLSearchParams({ search: input.value });
      const answer = await fetch(`${input.dataset.labels}?${query}`, { signal: asking.signal });
      if (answer.ok) show(await answer.json());
    } catch {}
  }
  function show(choices) {
    const known = new Set(first.map(({ value }) => value));
    const found = choices.filter(({ name }) => !known.has(name)).map(({ name, text }) => new Option(text, name));
    input.list.replaceChildren(...first, ...found);
  }
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT_MS);
  });
}
