// Announces new rows of a list, without moving what somebody reads. The server sets the pace; a page that nobody sees asks nothing.
const FIRST_MS = 15_000;
const MOST = 99;
const place = document.querySelector('[data-live]');
const title = document.title;
let source;
let timer;

function show(count) {
  if (count < 1) return;
  const text = count > MOST ? `More than ${MOST} new` : `${count} new`;
  const link = document.createElement('a');
  link.className = 'button button-primary button-small';
  link.href = location.pathname + location.search;
  link.textContent = `${text}: show`;
  place.replaceChildren(link);
  document.title = `(${count > MOST ? `${MOST}+` : count}) ${title}`;
  if (count > MOST) stop();
}

function listen() {
  // An answer ends with each event; the browser asks again when the server has said so, and never after a refusal.
  source = new EventSource(place.dataset.live);
  source.addEventListener('message', ({ data }) => show(Number(data)));
}

function start() {
  stop();
  if (!document.hidden) timer = setTimeout(listen, FIRST_MS);
}

function stop() {
  clearTimeout(timer);
  source?.close();
}

if (place) {
  start();
  document.addEventListener('visibilitychange', start);
  addEventListener('pagehide', stop);
  addEventListener('pageshow', ({ persisted }) => persisted && start());
}
