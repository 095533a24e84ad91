// Writes a statement in one of its formats, in parts.
import type { Links } from '../../platform/http/links.ts';
import { csvOf } from './csv.ts';
import type { StatementFormat } from './format.ts';
import { halOf } from './hal.ts';
import type { Selection, Statement } from './statement.ts';

export async function writeStatement(
  links: Links,
  statement: Statement,
  { format, selection }: { format: StatementFormat; selection: Selection },
): Promise<AsyncIterable<string | Uint8Array>> {
  if (format === 'csv') return csvOf(statement);
  // Loaded with the first statement: its fonts and code are large.
  if (format === 'pdf') return (await import('./pdf.ts')).pdfOf(statement);
  return halOf(links, statement, selection);
}
