// Copies the text beside a button, and says so.
const SHOWN_MS = 2000;

for (const button of document.querySelectorAll('[data-copy]')) {
  const label = [...button.childNodes];
  const announce = (text) => {
    button.textContent = text;
    setTimeout(() => {
      button.replaceChildren(...label);
    }, SHOWN_MS);
  };
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      announce('Copied');
    } catch {
      // The browser refuses it, as without TLS: the person copies the selection.
      getSelection().selectAllChildren(code);
      announce('Press Ctrl+C');
    }
  });
}
