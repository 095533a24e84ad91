// The checkers that are configured, in their order.
import type { Config } from '../../../platform/config/config.ts';
import type { Checker } from './checker.ts';
import { openHttpChecker } from './http.ts';
import { openReader, type ReaderTools } from './reader.ts';

/** Opens the checkers of DOCUMENT_CHECKERS. */
export function openCheckers(
  tools: ReaderTools & { config: Pick<Config, 'documentCheckers' | 'documentCheckerUrl' | 'documentCheckerSecret'> },
): Checker[] {
  const { documentCheckers, documentCheckerUrl: url = '', documentCheckerSecret: secret = '' } = tools.config;
  return documentCheckers.map((name) => (name === 'http' ? openHttpChecker({ url, secret }) : openReader(tools)));
}
