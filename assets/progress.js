// Loads the page again while something on it is in progress, without the message of the action that started it.
const EVERY_MS = 2000;

if (document.querySelector('[data-reload]')) setTimeout(() => location.replace(location.pathname), EVERY_MS);
