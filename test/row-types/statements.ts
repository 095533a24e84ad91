// The statements of the source with the row types that they declare, read by the type checker of TypeScript.
import { relative } from 'node:path';
import ts from 'typescript5';
import { ROOT } from '../support/paths.ts';
import { type Choice, LOOK_UP, renderTemplate } from './render.ts';

/** Members of a row type; `type` is as TypeScript prints it, without null. */
export type Member = { name: string; type: string; isNullable: boolean };
/** `at`: file and line. `members`: undefined if the row type is not declared. `open`: the first part that only a run can tell. */
export type Statement = { at: string; text: string; open: string | undefined; members: Member[] | undefined };

const TAG = 'Sql';

/** Reads all statements below src; those with conditional parts once with each of their first and their second choices. */
export function readStatements(): Statement[] {
  const config = ts.readConfigFile(`${ROOT}/tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const isSource = (file: string) => relative(ROOT, file).startsWith('src/') && !file.endsWith('.test.ts');
  const program = ts.createProgram(fileNames.filter(isSource), options);
  const checker = program.getTypeChecker();
  const statements: Statement[] = [];
  for (const file of program.getSourceFiles()) {
    if (!isSource(file.fileName)) continue;
    const path = relative(ROOT, file.fileName);
    const visit = (node: ts.Node): void => {
      const written = writtenAt(checker, node);
      if (written) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        const members = written.row && membersOf(checker, written.row);
        for (const choice of ['whenTrue', 'whenFalse'] satisfies Choice[]) {
          const { text, open } = renderTemplate(program, written.template, choice);
          if (statements.at(-1)?.text !== text) statements.push({ at: `${path}:${line + 1}`, text, open, members });
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return statements;
}

/** A statement: a template of `Sql`, or the one that a look-up by id is made of. */
function writtenAt(
  checker: ts.TypeChecker,
  node: ts.Node,
): { template: ts.TemplateLiteral; row: ts.TypeNode | undefined } | undefined {
  if (ts.isTaggedTemplateExpression(node) && checker.getTypeAtLocation(node.tag).aliasSymbol?.name === TAG)
    return { template: node.template, row: node.typeArguments?.[0] };
  if (!ts.isCallExpression(node) || node.expression.getText() !== LOOK_UP) return undefined;
  const [select] = node.arguments;
  if (!select || !ts.isArrowFunction(select) || !ts.isTaggedTemplateExpression(select.body)) return undefined;
  return { template: select.body.template, row: node.typeArguments?.[0] };
}

function membersOf(checker: ts.TypeChecker, node: ts.TypeNode): Member[] {
  const type = checker.getTypeFromTypeNode(node);
  return checker.getPropertiesOfType(type).map((property) => {
    const declared = checker.getTypeOfSymbol(property);
    const isUnknown = (declared.flags & ts.TypeFlags.Unknown) !== 0;
    const proper = checker.getNonNullableType(declared);
    return {
      name: property.name,
      type: describe(checker, isUnknown ? declared : proper),
      isNullable: declared !== proper && !isUnknown,
    };
  });
}

/** Literals and enumerations of strings count as string. */
function describe(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.flags & ts.TypeFlags.Unknown) return 'unknown';
  if (checker.isArrayType(type)) return `${describe(checker, checker.getTypeArguments(type as ts.TypeReference)[0]!)}[]`;
  const parts = (type.isUnion() ? type.types : [type]).filter((part) => (part.flags & ts.TypeFlags.Null) === 0);
  const names = new Set(
    parts.map((part) => {
      if (part.flags & ts.TypeFlags.StringLike) return 'string';
      if (part.flags & ts.TypeFlags.NumberLike) return 'number';
      if (part.flags & ts.TypeFlags.BigIntLike) return 'bigint';
      if (part.flags & ts.TypeFlags.BooleanLike) return 'boolean';
      return checker.isArrayType(part) ? describe(checker, part) : (part.symbol?.name ?? checker.typeToString(part));
    }),
  );
  return [...names].sort().join(' | ');
}
