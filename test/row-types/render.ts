// The text of a statement in the source: its values as parameters, and its fragments evaluated as far as the source tells them.
import ts from 'typescript5';

/** Which part of conditional expressions is taken. */
export type Choice = 'whenTrue' | 'whenFalse';

type Scope = Map<ts.Symbol, { node: ts.Expression; scope: Scope }>;
type Rendering = { program: ts.Program; checker: ts.TypeChecker; choice: Choice; values: number; open: string | undefined };

/** Makes the look-ups of `platform/db/look-up.ts`. Its argument takes the bucket and the id, which are values or columns. */
export const LOOK_UP = 'lookUp';
const FRAGMENT = 'Fragment';

/** Returns the text with $1, $2 … and, in `open`, the source of the first fragment that only a run can tell. */
export function renderTemplate(program: ts.Program, template: ts.TemplateLiteral, choice: Choice) {
  const rendering: Rendering = { program, checker: program.getTypeChecker(), choice, values: 0, open: undefined };
  const text = renderParts(rendering, template, new Map());
  return { text, open: rendering.open };
}

function renderParts(rendering: Rendering, template: ts.TemplateLiteral, scope: Scope): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce(
    (text, { expression, literal }) => `${text}${renderGap(rendering, expression, scope)}${literal.text}`,
    template.head.text,
  );
}

function renderGap(rendering: Rendering, expression: ts.Expression, scope: Scope): string {
  const type = rendering.checker.getTypeAtLocation(expression);
  const parts = type.isUnion() ? type.types : [type];
  if (isLookedUp(rendering.checker, expression) || !parts.some((part) => part.symbol?.name === FRAGMENT))
    return `$${++rendering.values}`;
  return renderFragment(rendering, expression, scope);
}

function renderFragment(rendering: Rendering, node: ts.Expression, scope: Scope): string {
  if (ts.isTaggedTemplateExpression(node)) return renderParts(rendering, node.template, scope);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node))
    return renderFragment(rendering, node.expression, scope);
  if (ts.isConditionalExpression(node)) return renderFragment(rendering, node[rendering.choice], scope);
  if (ts.isBinaryExpression(node)) {
    const takesLeft = node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken && rendering.choice === 'whenTrue';
    return renderFragment(rendering, takesLeft ? node.left : node.right, scope);
  }
  if (ts.isCallExpression(node)) return renderCall(rendering, node, scope);
  const source = sourceOf(rendering, node, scope);
  return source ? renderGap(rendering, source.node, source.scope) : leaveOpen(rendering, node);
}

/** The body of the called function, with its parameters bound to the arguments. */
function renderCall(rendering: Rendering, node: ts.CallExpression, scope: Scope): string {
  const [first] = node.arguments;
  const called = rendering.checker.getResolvedSignature(node)?.declaration;
  const names = ['identifier', 'table'];
  if (first && ts.isStringLiteralLike(first) && names.includes(node.expression.getText())) return first.text;
  if (ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === 'reduce')
    return renderElement(rendering, node.expression.expression, scope);
  const result = called && 'body' in called && called.body ? resultOf(called.body as ts.ConciseBody) : undefined;
  if (!result || node.expression.getText() === 'identifier') return leaveOpen(rendering, node);
  return renderFragment(rendering, result, bind(rendering.checker, { called: called!, node, scope }));
}

/** One element of an array of fragments that `map` makes. */
function renderElement(rendering: Rendering, array: ts.Expression, scope: Scope): string {
  if (ts.isCallExpression(array)) {
    const [each] = array.arguments;
    if (each && ts.isArrowFunction(each)) return renderFragment(rendering, resultOf(each.body)!, scope);
  }
  const source = sourceOf(rendering, array, scope);
  return source ? renderElement(rendering, source.node, source.scope) : leaveOpen(rendering, array);
}

/** The expression that gives a name its value: an initializer, an argument, or the argument of the first call in the source. */
function sourceOf(rendering: Rendering, node: ts.Expression, scope: Scope): { node: ts.Expression; scope: Scope } | undefined {
  const { checker } = rendering;
  const symbol = symbolOf(checker, node);
  const bound = symbol && scope.get(symbol);
  if (bound) return bound;
  const declaration = symbol?.valueDeclaration;
  if (!declaration) return undefined;
  if ((ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration)) && declaration.initializer)
    return { node: declaration.initializer, scope };
  if (ts.isBindingElement(declaration)) return sourceOfElement(rendering, declaration, scope);
  if (!ts.isParameter(declaration)) return undefined;
  const call = findCall(rendering, declaration.parent);
  const inner = call && bind(checker, { called: declaration.parent, node: call, scope: new Map() });
  return inner?.get(symbol);
}

/** `const [a, b] = [x, y]`, and a member of an argument that is written as an object. */
function sourceOfElement(rendering: Rendering, element: ts.BindingElement, scope: Scope) {
  const pattern = element.parent;
  const owner = pattern.parent;
  if (ts.isArrayBindingPattern(pattern)) {
    const list = ts.isVariableDeclaration(owner) && owner.initializer;
    return list && ts.isArrayLiteralExpression(list)
      ? { node: list.elements[pattern.elements.indexOf(element)]!, scope }
      : undefined;
  }
  if (!ts.isParameter(owner)) return undefined;
  const argument = findCall(rendering, owner.parent)?.arguments[owner.parent.parameters.indexOf(owner)];
  if (!argument || !ts.isObjectLiteralExpression(argument)) return undefined;
  const name = (element.propertyName ?? element.name).getText();
  const member = argument.properties.find((property) => property.name?.getText() === name);
  if (member && ts.isPropertyAssignment(member)) return { node: member.initializer, scope: new Map() };
  if (!member || !ts.isShorthandPropertyAssignment(member)) return undefined;
  const value = rendering.checker.getShorthandAssignmentValueSymbol(member)?.valueDeclaration;
  return value && ts.isVariableDeclaration(value) && value.initializer
    ? { node: value.initializer, scope: new Map() }
    : undefined;
}

function bind(
  checker: ts.TypeChecker,
  { called, node, scope }: { called: ts.SignatureDeclaration | ts.JSDocSignature; node: ts.CallExpression; scope: Scope },
): Scope {
  const inner: Scope = new Map(scope);
  called.parameters.forEach((parameter, index) => {
    const symbol = parameter.name && checker.getSymbolAtLocation(parameter.name);
    const argument = node.arguments[index] ?? (parameter as ts.ParameterDeclaration).initializer;
    if (symbol && argument) inner.set(symbol, { node: argument, scope });
  });
  return inner;
}

/** The first call of a function with a name. */
function findCall({ program, checker }: Rendering, called: ts.SignatureDeclaration): ts.CallExpression | undefined {
  const symbol = called.name && checker.getSymbolAtLocation(called.name);
  const name = called.name?.getText();
  const find = (node: ts.Node): ts.CallExpression | undefined => {
    if (ts.isCallExpression(node) && node.expression.getText() === name && symbolOf(checker, node.expression) === symbol)
      return node;
    return ts.forEachChild(node, find);
  };
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || !file.text.includes(`${name}(`)) continue;
    const call = find(file);
    if (call) return call;
  }
  return undefined;
}

/** The expression that a function returns last. */
function resultOf(body: ts.ConciseBody): ts.Expression | undefined {
  if (!ts.isBlock(body)) return body;
  const last = body.statements.at(-1);
  return last && ts.isReturnStatement(last) ? last.expression : undefined;
}

function symbolOf(checker: ts.TypeChecker, node: ts.Expression): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Whether an expression is the bucket or the id of a look-up. */
function isLookedUp(checker: ts.TypeChecker, node: ts.Expression): boolean {
  const declaration = symbolOf(checker, node)?.valueDeclaration;
  if (!declaration || !ts.isBindingElement(declaration)) return false;
  const call = declaration.parent.parent.parent.parent;
  return ts.isCallExpression(call) && call.expression.getText() === LOOK_UP;
}

function leaveOpen(rendering: Rendering, node: ts.Expression): string {
  rendering.open ??= node.getText();
  return '';
}
