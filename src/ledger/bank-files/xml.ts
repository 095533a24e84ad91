// Reads XML of strangers element by element: no document types, so no entities but the five of XML, and bounded depth.
import sax from 'sax';
import { faultAt } from './statement.ts';

/** `at`: the line of the file where the element begins. `text`: its own characters, without space around them. */
export type Element = {
  name: string;
  namespace: string;
  at: number;
  text: string;
  attributes: Record<string, string>;
  children: Element[];
};

type Reader = {
  /** Elements of this depth are given whole; the root has depth 0. */
  unitDepth: number;
  /** An element above a unit begins. */
  onStart(element: Element, depth: number): void;
  onUnit(element: Element): void;
};

const DEPTH_MAX = 32;
const CHILDREN_MAX = 100_000;

/** Reads a document. Names are local: prefixes of namespaces are left out. Throws a BankFileError with the line. */
export function readXml(text: string, { unitDepth, onStart, onUnit }: Reader): void {
  const parser = sax.parser(true, { xmlns: true, position: true });
  const open: Element[] = [];
  const fault = (message: string) => faultAt(parser.line + 1, message);
  parser.onerror = (error) => {
    throw fault(`not well-formed XML: ${error.message.split('\n', 1)[0]!.replace(/\.$/, '')}.`);
  };
  parser.ondoctype = () => {
    throw fault('a document type (DOCTYPE) is refused: bank files have none.');
  };
  parser.onopentag = (tag) => {
    const depth = open.length;
    if (depth >= DEPTH_MAX) throw fault(`elements are nested deeper than ${DEPTH_MAX}.`);
    const { local, uri, attributes } = tag as sax.QualifiedTag;
    const element: Element = { name: local, namespace: uri, at: parser.line + 1, text: '', attributes: {}, children: [] };
    for (const { local: name, value } of Object.values(attributes)) element.attributes[name] = value;
    if (depth < unitDepth) onStart(element, depth);
    else if (depth > unitDepth && open[depth - 1]!.children.push(element) > CHILDREN_MAX)
      throw fault(`an element has more than ${CHILDREN_MAX} others.`);
    open.push(element);
  };
  const onText = (part: string) => {
    const element = open.at(-1);
    if (element && open.length > unitDepth) element.text += part;
  };
  parser.ontext = onText;
  parser.oncdata = onText;
  parser.onclosetag = () => {
    const element = open.pop()!;
    element.text = element.text.trim();
    if (open.length === unitDepth) onUnit(element);
  };
  parser.write(text).close();
}

/** The first element by a path of names such as `Refs/EndToEndId`. */
export function find(element: Element | undefined, path: string): Element | undefined {
  return path.split('/').reduce<Element | undefined>((at, name) => at?.children.find((child) => child.name === name), element);
}

/** The text of the first element by a path; undefined if it is absent or empty. */
export function textAt(element: Element | undefined, path: string): string | undefined {
  return find(element, path)?.text || undefined;
}

/** The child of a name, which must exist. */
export function requireChild(element: Element, name: string): Element {
  const child = find(element, name);
  if (!child) throw faultAt(element.at, `${element.name} has no ${name}.`);
  return child;
}

/** All elements of a name, at any depth, in the order of the document. */
export function findAll(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)]);
}
