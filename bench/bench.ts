// `npm run bench`: throughput compared with limits and rivals; `--quick` takes under a minute, `--growth [--to N]` grows to N
// transfers.
import { parseArgs } from 'node:util';
import { compare } from './comparison.ts';
import { drawPlot } from './research/draw-plot.ts';
import { grow } from './research/growth.ts';

const GROWTH_TO = 10_000_000;
/** Shorter growth does not replace the README's plot. */
const PLOT_FROM = 1_000_000;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    to: { type: 'string', default: `${GROWTH_TO}` },
  },
});
const to = Number(values.to);
if (!Number.isInteger(to) || to < 1) throw new Error('--to must be a number of transfers, for example 100000.');
const passed = values.growth ? await grow({ to }) : await compare({ quick: values.quick });
if (values.growth ? to >= PLOT_FROM : !values.quick) process.stdout.write(`${drawPlot()}\n`);
if (!passed) process.exitCode = 1;
