// `npm run bench`: speed beside limits and rivals; `--quick` in under a minute, `--growth [--to N]` from ten thousand transfers to N.
import { parseArgs } from 'node:util';
import { compare } from './comparison.ts';
import { grow } from './growth.ts';

const GROWTH_TO = 10_000_000;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    to: { type: 'string', default: `${GROWTH_TO}` },
  },
});
const to = Number(values.to);
if (!Number.isInteger(to) || to < 1) throw new Error('--to is a number of transfers, as 100000.');
const sound = values.growth ? await grow({ to }) : await compare({ quick: values.quick });
if (!sound) process.exitCode = 1;
