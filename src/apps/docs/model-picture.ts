// The picture of the model on the first page: a customer, its labels, and the two entries of one reallocation.
import { type Html, html } from '../../platform/pages/html.ts';

const ALT =
  'A customer has 100.00 USD: 20.00 available, 50.00 in the label Operating and 30.00 in the label Taxes. One reallocation of 25.00 from Operating to Taxes makes an entry of −25.00 at one label and of +25.00 at the other, in one commit.';

type Box = { x: number; y: number; width: number; height: number; name: string; amount: string; className: string };

const BOXES: Box[] = [
  { x: 1, y: 1, width: 438, height: 46, name: 'Customer', amount: '100.00 USD', className: 'model-customer' },
  { x: 1, y: 77, width: 134, height: 56, name: 'Available', amount: '20.00', className: 'model-available' },
  { x: 153, y: 77, width: 134, height: 56, name: 'Operating', amount: '50.00', className: 'model-label' },
  { x: 305, y: 77, width: 134, height: 56, name: 'Taxes', amount: '30.00', className: 'model-label' },
  { x: 153, y: 171, width: 134, height: 46, name: 'Entry 8', amount: '−25.00', className: 'model-entry' },
  { x: 305, y: 171, width: 134, height: 46, name: 'Entry 3', amount: '+25.00', className: 'model-entry' },
];

export function modelPicture(): Html {
  return html`<figure class="model">
    <svg viewBox="0 0 440 262" role="img" aria-label=${ALT}>
      <path class="model-line" d="M68 47v30M220 47v30M372 47v30M220 133v38M372 133v38M220 217v14h152v-14" />
      ${BOXES.map(boxOf)}
      <text class="model-words" x="296" y="252">one reallocation, one commit</text>
    </svg>
  </figure>`;
}

function boxOf({ x, y, width, height, name, amount, className }: Box): Html {
  const isWide = width > 200;
  const middle = y + height / 2;
  return html`<g class=${className}>
    <rect x=${x} y=${y} width=${width} height=${height} rx="8" />
    <text x=${x + 12} y=${isWide ? middle + 5 : middle - 4}>${name}</text>
    <text class="model-amount" x=${isWide ? x + width - 12 : x + 12} y=${isWide ? middle + 5 : middle + 15}>${amount}</text>
  </g>`;
}
