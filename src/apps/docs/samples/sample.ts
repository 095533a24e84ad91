// A sample in three languages: curl, TypeScript with the typed client, and Python with its standard library.
import type { Program } from './call.ts';
import { curlSample } from './curl.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

export type Sample = { language: 'curl' | 'typescript' | 'python'; title: string; highlight: string; code: string };

export function samplesOf(program: Program): Sample[] {
  return [
    { language: 'curl', title: 'curl', highlight: 'bash', code: curlSample(program) },
    { language: 'typescript', title: 'TypeScript', highlight: 'typescript', code: typescriptSample(program) },
    { language: 'python', title: 'Python', highlight: 'python', code: pythonSample(program) },
  ];
}
