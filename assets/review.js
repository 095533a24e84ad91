// The review by keyboard, the picture with zoom and crops, and hidden values without loading the page again.
const TURNS = 4;
const ZOOM = { least: 1, most: 8, step: 2, wheel: 1.0015 };
const page = document.querySelector('.review') ?? document.querySelector('.review-queue');
const viewer = page.querySelector('[data-viewer]');
const box = viewer?.querySelector('.viewer-box');
const form = page.querySelector('[data-decision]');
const picture = viewer?.querySelector('img');
let zoom = 1;

function showMessage(text) {
  const message = page.querySelector('[data-message]');
  message.textContent = text;
  message.hidden = text === '';
}

/** Enlarges the picture around a point of the box, in pixels. */
function zoomTo(wanted, x = box.clientWidth / 2, y = box.clientHeight / 2) {
  const next = Math.min(ZOOM.most, Math.max(ZOOM.least, wanted));
  const [left, top] = [((box.scrollLeft + x) / zoom) * next - x, ((box.scrollTop + y) / zoom) * next - y];
  zoom = next;
  const { style } = box.firstElementChild;
  style.width = `${zoom * 100}%`;
  style.height = `${zoom * 100}%`;
  box.scrollTo(left, top);
}

const views = {
  zoom() {
    zoomTo(zoom >= ZOOM.step * ZOOM.step ? ZOOM.least : zoom * ZOOM.step);
  },
  turn() {
    viewer.dataset.turn = (Number(viewer.dataset.turn ?? 0) + 1) % TURNS;
  },
  contrast() {
    const isOn = viewer.toggleAttribute('data-contrast');
    viewer.querySelector('[data-view=contrast]').setAttribute('aria-pressed', isOn);
  },
};

function connectBox() {
  box.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { left, top } = box.getBoundingClientRect();
      zoomTo(zoom * ZOOM.wheel ** -event.deltaY, event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  box.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    event.preventDefault();
    box.focus({ preventScroll: true });
    box.setPointerCapture(event.pointerId);
    viewer.toggleAttribute('data-dragged', true);
  });
  box.addEventListener('pointermove', (event) => {
    if (viewer.hasAttribute('data-dragged')) box.scrollBy(-event.movementX, -event.movementY);
  });
  for (const end of ['pointerup', 'pointercancel']) box.addEventListener(end, () => viewer.removeAttribute('data-dragged'));
}

/** Draws the line of text that a field was read from, upright. */
function drawCrop(canvas) {
  const [x1, y1, x2, y2, characters] = canvas.dataset.crop.split(' ').map(Number);
  const { naturalWidth: width, naturalHeight: height } = picture;
  const [across, down] = [(x2 - x1) * width, (y2 - y1) * height];
  const length = Math.hypot(across, down);
  const pitch = length / characters;
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const scale = Math.min(canvas.height / (2.4 * pitch), canvas.width / (length + 2 * pitch));
  const context = canvas.getContext('2d');
  context.translate(pitch * scale, canvas.height / 2);
  context.scale(scale, scale);
  context.beginPath();
  context.rect(-pitch, -canvas.height / scale, length + 2 * pitch, (2 * canvas.height) / scale);
  context.clip();
  context.rotate(-Math.atan2(down, across));
  context.drawImage(picture, -x1 * width, -y1 * height);
}

function drawCrops() {
  for (const canvas of page.querySelectorAll('[data-crop]')) drawCrop(canvas);
}

if (viewer) {
  for (const button of viewer.querySelectorAll('[data-view]'))
    button.addEventListener('click', () => views[button.dataset.view]());
  connectBox();
  const fail = () => {
    box.hidden = true;
    viewer.querySelector('.viewer-controls').hidden = true;
    viewer.querySelector('.viewer-failed').hidden = false;
  };
  picture.addEventListener('error', fail);
  picture.addEventListener('load', drawCrops);
  if (picture.complete) picture.naturalWidth === 0 ? fail() : drawCrops();
}

/** What is wrong with the form for a decision; empty when nothing is. */
function faultIn(decision) {
  const chosen = form.querySelectorAll('[name=reason]:checked').length;
  const note = form.querySelector('[name=note]');
  if (decision === 'rejected' && chosen === 0) return 'Choose at least one reason to reject.';
  if (decision === 'accepted' && chosen > 0)
    return 'You chose reasons to reject. Remove them to accept the document. The key x unticks all.';
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
  page.querySelector('[data-evidence]').replaceWith(document.adoptNode(shown));
  shown.focus();
  if (isPictureShown()) drawCrops();
});

/** A key that is still meant for the document before must not decide on this one. */
function isPictureShown() {
  return !picture || (picture.complete && picture.naturalWidth > 0);
}

/** Counts the seconds in which a decision can be taken back. */
function countDown(text) {
  const end = performance.now() + Number(text.dataset.countdown) * 1000;
  const timer = setInterval(() => {
    const left = Math.ceil((end - performance.now()) / 1000);
    if (left > 0) text.textContent = `It can be taken back for ${left} second${left === 1 ? '' : 's'}.`;
    else {
      clearInterval(timer);
      text.textContent = 'It cannot be taken back any more.';
      text.closest('.take-back').querySelector('form').remove();
    }
  }, 250);
}

for (const text of document.querySelectorAll('[data-countdown]')) countDown(text);

const list = page.querySelector('[data-key-list]');
page.querySelector('[data-keys]')?.addEventListener('click', () => list.showModal());

const actions = {
  z: () => viewer && views.zoom(),
  t: () => viewer && views.turn(),
  c: () => viewer && views.contrast(),
  n: () => form?.querySelector('[name=note]').focus(),
  x() {
    for (const reason of form?.querySelectorAll('[name=reason]:checked') ?? []) reason.checked = false;
    if (form) showMessage('');
  },
  '?': () => list?.showModal(),
};

addEventListener('keydown', (event) => {
  const { key, target } = event;
  const isTyping = target.matches('textarea, select, input:not([type=checkbox])');
  if (key === 'Escape' && isTyping) return target.blur();
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping || document.querySelector('dialog[open]'))
    return;
  const element = /^[1-9arjkuv]$/.test(key) ? page.querySelector(`[data-key="${key}"]`) : undefined;
  if (!element && !Object.hasOwn(actions, key)) return;
  event.preventDefault();
  if (!element) return actions[key]();
  if (/^[ar]$/.test(key) && !isPictureShown()) return showMessage('Wait until the picture is there, or use the button.');
  element.click();
});
