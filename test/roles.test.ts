// The tables of roles and scopes in docs/operations/people.md are those of the code. `npm run docs` writes them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SCOPE_NEEDS, scopesOf } from '../src/resources/oauth/role-scopes.ts';
import { SCOPES } from '../src/resources/oauth/scope.ts';
import { may, PERMISSIONS, type Permission, ROLES } from '../src/resources/operators/role.ts';
import { ROOT } from './support/paths.ts';

const FILE = join(ROOT, 'docs/operations/people.md');
const TABLES = [
  { pattern: /^\| May \|.*?\n(?=\n)/ms, written: tableOfRoles() },
  { pattern: /^\| Scope \|.*?\n(?=\n)/ms, written: tableOfScopes() },
];

function tableOf(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  return [line(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(line)].join('');
}

function tableOfRoles(): string {
  const permissions = Object.keys(PERMISSIONS) as Permission[];
  const rows = permissions.map((name) => [PERMISSIONS[name].about, ...ROLES.map((role) => (may([role], name) ? 'yes' : ''))]);
  return tableOf(['May', ...ROLES], rows);
}

function tableOfScopes(): string {
  const rows = SCOPES.map((scope) => [
    `\`${scope}\``,
    SCOPE_NEEDS[scope].map((name) => PERMISSIONS[name].about).join('; '),
    ROLES.filter((role) => scopesOf([role]).includes(scope)).join(', '),
  ]);
  return tableOf(['Scope', 'Needs a person who may', 'Alone'], rows);
}

test('docs/operations/people.md has the tables of roles and scopes', () => {
  for (const { pattern, written } of TABLES) {
    const text = readFileSync(FILE, 'utf8');
    assert.match(text, pattern);
    if (process.env.DOCS_WRITE) writeFileSync(FILE, text.replace(pattern, written));
    assert.equal(pattern.exec(readFileSync(FILE, 'utf8'))![0], written, 'run npm run docs');
  }
});
