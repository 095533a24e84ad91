// A request in three languages: curl, TypeScript with the typed client, and Python with its standard library.
import type { Operation } from '../reference/operation.ts';
import { curlSample } from './curl.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

/** A call of an operation, with the values of an example. */
export type Call = {
  operation: Operation;
  baseUrl: string;
  /** The path with its query. */
  path: string;
  body: unknown;
};

export type Sample = { language: 'curl' | 'typescript' | 'python'; title: string; highlight: string; code: string };

export function samplesOf(call: Call): Sample[] {
  return [
    { language: 'curl', title: 'curl', highlight: 'bash', code: curlSample(call) },
    { language: 'typescript', title: 'TypeScript', highlight: 'typescript', code: typescriptSample(call) },
    { language: 'python', title: 'Python', highlight: 'python', code: pythonSample(call) },
  ];
}
