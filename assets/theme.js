// Sets the chosen theme before the page is painted, and connects the theme switch. Without a choice the system decides.
const KEY = 'earmark.theme';
const ORDER = ['system', 'light', 'dark'];
const root = document.documentElement;

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(theme) {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  else delete root.dataset.theme;
}

function connect(button) {
  const name = () => button.setAttribute('aria-label', `Theme: ${root.dataset.theme ?? 'system'}`);
  name();
  button.addEventListener('click', () => {
    const next = ORDER[(ORDER.indexOf(root.dataset.theme ?? 'system') + 1) % ORDER.length];
    apply(next);
    name();
    try {
      if (next === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch {
      // The theme lasts until the next page.
    }
  });
}

apply(stored());
root.classList.add('scripted');
document.addEventListener('DOMContentLoaded', () => {
  for (const button of document.querySelectorAll('.theme-switch')) connect(button);
});
