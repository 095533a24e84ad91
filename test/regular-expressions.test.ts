// Every regular expression of the source and the schemas takes linear time.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import ts from 'typescript5';

const ROOT = join(import.meta.dirname, '..');
const INPUT_LENGTH = 64 * 1024;
/** A linear expression needs a few milliseconds, a quadratic one several seconds. */
const CPU_MAX_MS = 300;
const SEED = 15;
const SAMPLES = 2;
/** Positions of a sample at which it is repeated. */
const POSITIONS_MAX = 20;
const TRIAL_LENGTH = 2 * 1024;
const UNITS = [' ', '\t', 'a', 'A', '0', '-', '_', '.', ',', ';', ':', '=', '/', '\\', '"', '%', '@', '('];
/** A suffix that hardly any expression matches. */
const WRONG = '\0"\n"\0"';

const files = globSync('{src,packages/*/src}/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
const source = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const document = JSON.parse(source('openapi.json')) as { paths: Record<string, object> };

test('expressions in the source take linear time', () => {
  const literals = files.flatMap(literalsIn);
  assert.ok(literals.length > 50, 'literals are found');
  for (const literal of literals) {
    const end = literal.lastIndexOf('/');
    assertLinear(literal, new RegExp(literal.slice(1, end), literal.slice(end + 1)));
  }
});

test('expressions of routes take linear time', () => {
  assert.deepEqual(
    files.filter((file) => source(file).includes('new RegExp(')),
    ['src/platform/http/errors.ts'],
  );
  for (const path of Object.keys(document.paths)) assertLinear(path, new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`));
});

test('patterns and formats of schemas take linear time', () => {
  const schemas = objectsIn(document) as { pattern?: unknown; format?: unknown }[];
  const patterns = new Set(schemas.map(({ pattern }) => pattern).filter((pattern) => typeof pattern === 'string'));
  assert.ok(patterns.size > 5, 'patterns are found');
  for (const pattern of patterns) assertLinear(pattern, new RegExp(pattern, 'u'));
  for (const format of new Set(schemas.map(({ format }) => format).filter((format) => typeof format === 'string'))) {
    const known = fullFormats[format as keyof typeof fullFormats];
    if (known instanceof RegExp) assertLinear(format, known);
  }
});

function literalsIn(file: string): string[] {
  const literals: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) literals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source(file), ts.ScriptTarget.Latest));
  return literals;
}

function objectsIn(value: unknown): object[] {
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** Tests an expression on texts of many shapes, then on 64 kB of the slowest shape. */
function assertLinear(name: string, expression: RegExp): void {
  const everywhere = new RegExp(expression, [...new Set([...expression.flags, 'g'])].join(''));
  const feed = (shape: Shape, length: number) => {
    const ms = cpuMs(everywhere, textOf(shape, length));
    assert.ok(ms < CPU_MAX_MS, `${name} takes ${ms} ms for ${length} characters of the shape ${JSON.stringify(shape)}`);
    return ms;
  };
  const [slowest] = shapesFor(expression)
    .map((shape) => ({ shape, ms: feed(shape, TRIAL_LENGTH) }))
    .sort((one, other) => other.ms - one.ms);
  feed(slowest!.shape, INPUT_LENGTH);
}

type Shape = { head: string; unit: string; tail: string };

/** Texts that begin as an expression matches, repeat one unit many times, and end without a match. */
function shapesFor(expression: RegExp): Shape[] {
  const exact = new RegExp(expression.source, expression.flags.replace(/[^us]/g, ''));
  const samples = fc.sample(fc.stringMatching(exact, { size: 'xsmall' }), { seed: SEED, numRuns: SAMPLES });
  return samples.flatMap((sample) => {
    const positions = Array.from({ length: Math.min(sample.length, POSITIONS_MAX) + 1 }, (_, at) => at);
    const stretched = positions.flatMap((at) => {
      const head = sample.slice(0, at);
      const repeated = [1, 2].map((length) => ({
        head,
        unit: sample.slice(at, at + length),
        tail: sample.slice(at + length) + WRONG,
      }));
      return [...repeated, ...UNITS.map((unit) => ({ head, unit, tail: WRONG }))];
    });
    return [{ head: '', unit: sample, tail: WRONG }, ...stretched].filter(({ unit }) => unit !== '');
  });
}

function textOf({ head, unit, tail }: Shape, length: number): string {
  return head + unit.repeat(length / unit.length) + tail;
}

function cpuMs(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  text.replace(expression, '');
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
