// The sprite of all icons that the pages use, made from the SVG files of the package `heroicons`.
import { readFileSync } from 'node:fs';

/** Each name is a file of heroicons/24/outline. */
export const ICONS = [
  'adjustments-horizontal',
  'arrow-left',
  'arrow-path',
  'arrow-right',
  'arrow-down-tray',
  'arrow-right-start-on-rectangle',
  'arrows-right-left',
  'bars-3',
  'arrow-uturn-right',
  'beaker',
  'bell-alert',
  'book-open',
  'bolt',
  'check',
  'check-circle',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'clipboard-document',
  'clipboard-document-list',
  'clock',
  'code-bracket',
  'computer-desktop',
  'cpu-chip',
  'document-text',
  'exclamation-circle',
  'eye',
  'exclamation-triangle',
  'finger-print',
  'heart',
  'home',
  'identification',
  'information-circle',
  'key',
  'link',
  'lock-closed',
  'magnifying-glass',
  'magnifying-glass-plus',
  'moon',
  'no-symbol',
  'play',
  'plus',
  'scale',
  'shield-check',
  'squares-2x2',
  'sun',
  'tag',
  'user',
  'user-plus',
  'users',
  'x-mark',
] as const;

export type IconName = (typeof ICONS)[number];

/** Writes the sprite: one symbol per icon, drawn in the colour of its text. */
export function writeSprite(): string {
  const folder = new URL('./24/outline/', import.meta.resolve('heroicons/package.json'));
  const symbols = ICONS.map((name) => {
    const svg = readFileSync(new URL(`${name}.svg`, folder), 'utf8');
    const shapes = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>')).trim();
    return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6">${shapes}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`;
}
