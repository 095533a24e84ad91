// The code of the guides in docs/guides: blocks by language, and what they are said to print.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './paths.ts';

export type GuideCode = {
  name: string;
  text: string;
  /** By language, in order. Blocks marked `terminal` or `setup` are not in it: they start the service that the test has. */
  blocks: { language: string; code: string }[];
  /** Lines that the code prints, with ids and times replaced. */
  printed: string[];
};

const FENCE = /^```(?<language>\w+)(?: (?<role>\w+))?\n(?<code>.*?)^```$/gms;
const VARYING: [RegExp, string][] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID'],
  [/http:\/\/localhost:\d+/g, 'URL'],
];

export function readGuideCode(): GuideCode[] {
  return globSync('docs/guides/*.md', { cwd: ROOT })
    .sort()
    .map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const fences = [...text.matchAll(FENCE)].map(({ groups }) => groups as { language: string; role?: string; code: string });
      const outputs = fences.filter(({ role }) => role === 'output');
      return {
        ...{ name: basename(file, '.md'), text },
        blocks: fences.filter(({ role }) => role === undefined),
        printed: outputs.flatMap(({ code }) => masked(code).trim().split('\n')),
      };
    });
}

/** Replaces ids and the URL of the service, which vary. */
export function masked(text: string): string {
  return VARYING.reduce((text, [pattern, name]) => text.replace(pattern, name), text);
}
