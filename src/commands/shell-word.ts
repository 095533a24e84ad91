// Quotes text for a POSIX shell.

/** Text as one word of a shell, whatever it holds. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
