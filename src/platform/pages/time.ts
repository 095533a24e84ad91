// Times of a page: all in one zone, which the page names, with UTC as their tooltip.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Html, html } from './html.ts';

type Precision = 'minutes' | 'seconds';

/** The zone of a page and of everything on it. */
const PageZone = createContext('UTC');

const formats = new Map<string, Intl.DateTimeFormat>();

/** The content of a page whose times are in a zone. */
export function inZone(zone: string, content: Html): Html {
  return html`<${PageZone.Provider} value=${zone}>${content}<//>`;
}

export function time(date: Date, precision: Precision = 'minutes'): Html {
  return html`<${Time} date=${date} precision=${precision} />`;
}

/** `25 Nov 2026, 10:55` */
function timeText(date: Date, zone: string, precision: Precision = 'minutes'): string {
  const key = `${precision} ${zone}`;
  const format = formats.get(key) ?? openFormat(zone, precision);
  formats.set(key, format);
  return format.format(date);
}

function Time({ date, precision }: { date: Date; precision: Precision }): Html {
  const iso = date.toISOString();
  const title = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return html`<time datetime=${iso} title=${title}>${timeText(date, useContext(PageZone), precision)}</time>`;
}

function openFormat(timeZone: string, precision: Precision): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    ...(precision === 'seconds' && { second: '2-digit' }),
  });
}
