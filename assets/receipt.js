// Verifies the receipt of a transfer in this browser, and compares what the log has with what the page shows.
import { verifyReceipt } from './proof.js';

const AGAIN_MS = 2000;
const TRIES = 5;

/** The first answer that holds, by one of the keys of the log, or the last fault. */
async function verifyByAny(receipt, keys) {
  let verified;
  for (const key of keys) {
    verified = await verifyReceipt(receipt, { key });
    if (verified.holds) break;
  }
  return verified;
}

/** The badge of a result, with a sentence. */
function result(tone, word, text) {
  const badge = document.createElement('span');
  badge.className = `badge badge-${tone}`;
  badge.textContent = word;
  return [badge, ` ${text}`];
}

async function check(shown, href) {
  const answer = await fetch(href);
  if (!answer.ok) throw new Error(`The receipt cannot be read (${answer.status}).`);
  const { missing, receipt, keys } = await answer.json();
  if (missing) return { missing };
  const verified = await verifyByAny(receipt, keys);
  if (!verified.holds) return { parts: result('bad', 'not verified', `It does not hold: ${verified.fault}.`) };
  const { entry, checkpoint } = verified;
  const different = Object.keys(shown).filter((name) => entry[name] !== shown[name]);
  if (different.length > 0)
    return { parts: result('bad', 'differs', `The log has another ${different.join(', ')} than this page shows.`) };
  const text = `Entry ${receipt.index} of the log, covered by the checkpoint of ${checkpoint.size} entries.`;
  return { parts: result('good', 'verified', `${text} Checked in this browser, with the key that the service shows.`) };
}

async function start(element) {
  const status = element.querySelector('[role=status]');
  const { href } = element.querySelector('a');
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const { missing, parts } = await check(JSON.parse(element.dataset.receipt), href);
      status.replaceChildren(...(parts ?? result('neutral', 'not yet', missing)));
      if (parts) return;
    } catch (error) {
      status.replaceChildren(...result('warn', 'not checked', error.message));
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

for (const element of document.querySelectorAll('[data-receipt]')) start(element);
