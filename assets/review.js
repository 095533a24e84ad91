// The review by keyboard, the controls of the picture, and hidden values without loading the page again.
// a accept, r reject, 1 to 9 reasons, z zoom, j and k next and previous document.
const ZOOMS = 3;
const TURNS = 4;
const page = document.querySelector('.review');
const viewer = page.querySelector('[data-viewer]');
const form = page.querySelector('[data-decision]');
const picture = viewer?.querySelector('img');

function showMessage(text) {
  const message = page.querySelector('[data-message]');
  message.textContent = text;
  message.hidden = text === '';
}

const views = {
  zoom() {
    viewer.scrollIntoView({ block: 'nearest' });
    const zoom = (Number(viewer.dataset.zoom ?? 0) + 1) % ZOOMS;
    viewer.dataset.zoom = zoom;
    const box = viewer.querySelector('.viewer-box');
    box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  },
  turn() {
    viewer.dataset.turn = (Number(viewer.dataset.turn ?? 0) + 1) % TURNS;
  },
  contrast(button) {
    const isOn = viewer.toggleAttribute('data-contrast');
    button.setAttribute('aria-pressed', isOn);
  },
};

if (viewer) {
  for (const button of viewer.querySelectorAll('[data-view]'))
    button.addEventListener('click', () => views[button.dataset.view](button));
  const fail = () => {
    viewer.querySelector('.viewer-box').hidden = true;
    viewer.querySelector('.viewer-controls').hidden = true;
    viewer.querySelector('.viewer-failed').hidden = false;
  };
  picture.addEventListener('error', fail);
  if (picture.complete && picture.naturalWidth === 0) fail();
}

/** What is wrong with the form for a decision; empty when nothing is. */
function faultIn(decision) {
  const chosen = form.querySelectorAll('[name=reason]:checked').length;
  const note = form.querySelector('[name=note]');
  if (decision === 'rejected' && chosen === 0) return 'Choose at least one reason to reject.';
  if (decision === 'accepted' && chosen > 0) return 'You chose reasons to reject. Remove them to accept the document.';
  if (!note.required || note.value.trim() !== '') return '';
  note.focus();
  return 'Write a note: why the decision changes.';
}

// The messages of the browser stand at a field, which may be outside the window.
if (form) form.noValidate = true;
form?.addEventListener('submit', (event) => {
  const text = faultIn(event.submitter?.value);
  showMessage(text);
  if (text !== '' || form.dataset.sent !== undefined) event.preventDefault();
  else form.dataset.sent = '';
});
// A page that the browser keeps for its back button can be sent again.
addEventListener('pageshow', () => delete form?.dataset.sent);
form?.addEventListener('change', () => showMessage(''));

page.addEventListener('submit', async (event) => {
  if (!event.target.matches('[data-reveal]')) return;
  event.preventDefault();
  const answer = await fetch(event.target.action, { method: 'POST' }).catch(() => undefined);
  if (!answer?.ok) return event.target.submit();
  const shown = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-evidence]');
  // The session has ended.
  if (!shown) return location.assign(answer.url);
  const former = page.querySelector('[data-evidence]');
  // These are in the zone of the reader already.
  const times = [...former.querySelectorAll('time')];
  for (const [index, time] of shown.querySelectorAll('time').entries()) time.replaceWith(times[index]);
  former.replaceWith(document.adoptNode(shown));
  shown.focus();
});

/** A key that is still meant for the document before must not decide on this one. */
function isPictureShown() {
  return !picture || (picture.complete && picture.naturalWidth > 0);
}

addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isTyping = target.matches('textarea, select, input:not([type=checkbox])');
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  if (key === 'z' && viewer) return views.zoom();
  if (!/^[1-9arjk]$/.test(key)) return;
  const element = page.querySelector(`[data-key="${key}"]`);
  if (!element) return;
  event.preventDefault();
  if (/^[ar]$/.test(key) && !isPictureShown()) return showMessage('Wait until the picture is there, or use the button.');
  element.click();
});
