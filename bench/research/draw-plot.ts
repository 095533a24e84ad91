// `node bench/research/draw-plot.ts`: draws bench/plot.svg for the README from the newest full results. Every full run does.
import { writeFileSync } from 'node:fs';
import { newest } from '../results.ts';
import type { Row, Subject } from '../subjects.ts';
import type { Level } from './level.ts';
import { type Panel, plot, type Series } from './plot.ts';

const COLOURS = { earmark: '#2f81f7', rowLocks: '#bf8700', statements: '#a371f7' };

/** Draws the plot and returns a line about it. */
export function drawPlot(): string {
  const comparison = newest<{ rows: Row[] }>('comparison');
  const growth = newest<{ levels: Level[] }>('growth');
  const panels = [...(comparison ? [byConnections(comparison.rows)] : []), ...(growth ? [byTransfers(growth.levels)] : [])];
  if (panels.length === 0) return 'There are no results to draw yet.';
  writeFileSync(new URL('../plot.svg', import.meta.url), plot(panels, 'Label reallocations per second'));
  return 'bench/plot.svg';
}

function byConnections(rows: Row[]): Panel {
  const series = (subject: Subject, name: string, colour: string): Series => ({
    name,
    colour,
    points: rows
      .filter((row) => row.subject === subject && row.mix === 'uniform' && row.load === undefined)
      .map((row) => [row.connections, row.perSecond]),
  });
  return {
    title: 'Reallocations per second',
    xTitle: 'connections',
    series: [
      series('earmark', 'Earmark', COLOURS.earmark),
      series('row locks', 'PL/pgSQL,\nrow locks', COLOURS.rowLocks),
      series('statements', 'Statement by\nstatement', COLOURS.statements),
    ],
  };
}

function byTransfers(levels: Level[]): Panel {
  return {
    title: 'The same as transfers grow, 64 connections',
    xTitle: 'transfers in the database',
    series: [
      { name: 'Earmark', colour: COLOURS.earmark, points: levels.map(({ transfers, perSecond }) => [transfers, perSecond]) },
    ],
  };
}

if (import.meta.main) process.stdout.write(`${drawPlot()}\n`);
