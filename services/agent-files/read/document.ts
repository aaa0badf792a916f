import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { Fault, Finding } from '../faults.ts';

/** A YAML file: its plain value, and where each part of it stands. */
export interface SourceDocument {
  /** Plain JSON; undefined when `faults` has an error. */
  value: unknown;
  faults: Fault[];
  locate(finding: Finding): Fault;
}

/** After a first syntax error the parser guesses; what it reports much later is noise. */
const mostSyntaxFaults = 10;

/** In nodes, of which a field takes two; what reads the value later may then be recursive. */
const deepestNesting = 100;

/** Reads the text of a YAML file. Never throws: what cannot be read becomes a located fault. */
export function readDocument(file: string, text: string): SourceDocument {
  try {
    return parse(file, text);
  } catch {
    // The parser is recursive, so that only nesting of many thousand levels gets here.
    const fault: Fault = {
      file,
      line: 1,
      column: 1,
      rule: 'syntax',
      message: 'This file cannot be read as YAML: it is nested too deeply.',
      severity: 'error',
    };
    return {
      value: undefined,
      faults: [fault],
      locate: (finding) => ({ ...fault, rule: finding.rule, message: finding.message }),
    };
  }
}

function parse(file: string, text: string): SourceDocument {
  const document = parseDocument(text, { prettyErrors: false, version: '1.2', schema: 'core' });
  const place = (offset: number): Pick<Fault, 'file' | 'line' | 'column'> => ({ file, ...placeAt(text, offset) });
  const fault = (offset: number, message: string): Fault => ({
    ...place(offset),
    rule: 'syntax',
    message,
    severity: 'error',
  });
  const faults = [...document.errors, ...document.warnings]
    .filter((error, index) => index === 0 || !isEcho(error))
    .slice(0, mostSyntaxFaults)
    .map((error) => fault(error.pos[0], syntaxMessage(error)));
  if (faults.length === 0) faults.push(...unsupported(document).map(({ offset, message }) => fault(offset, message)));
  if (faults.length === 0 && document.contents === null) faults.push(fault(0, 'This file is empty.'));
  return {
    value: faults.length === 0 ? document.toJS({ maxAliasCount: 0 }) : undefined,
    faults,
    locate: ({ path, at, within, rule, message, severity = 'error' }) => ({
      ...place(offsetOf(document, text, { path, at, within })),
      rule,
      message,
      severity,
    }),
  };
}

/** Counted here, as the parser's own counter leaves out lines of blocks that it did not expect. */
function placeAt(text: string, offset: number): { line: number; column: number } {
  const end = Math.min(Math.max(offset, 0), text.length);
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < end; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: end - start + 1 };
}

/** Once it is lost, the parser reports every further token as one that it did not expect. */
const isEcho = ({ code, message }: YAMLError): boolean =>
  code === 'UNEXPECTED_TOKEN' && message.includes('in YAML stream');

interface Unsupported {
  offset: number;
  message: string;
}

/** YAML that is legal and has no place here: what is read must be plain JSON, and each part must have one place. */
function unsupported(document: Document.Parsed): Unsupported[] {
  const found: Unsupported[] = [];
  const report = (node: unknown, message: string): void => {
    found.push({ offset: startOf(node) ?? 0, message });
  };
  visit(document, {
    Collection: (_key, node, path) => {
      if (path.length < deepestNesting) return undefined;
      report(node, 'This is nested too deeply.');
      return visit.BREAK;
    },
    Alias: (_key, node) => report(node, 'Aliases are not read here: write the text again in place of the *alias.'),
    Pair: (_key, pair) => {
      if (!isScalar(pair.key)) report(pair.key, 'A field name must be plain text.');
    },
    Scalar: (_key, node) => {
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        report(node, 'Write an ordinary number here, or quotes around a text.');
      if (typeof node.value === 'bigint') report(node, 'This number is too large.');
    },
  });
  return found;
}

const plainMessages: Partial<Record<YAMLError['code'], string>> = {
  BAD_INDENT: 'The indentation does not fit the lines above; fields of one map begin in the same column.',
  TAB_AS_INDENT: 'Indent with spaces; YAML does not allow tabs here.',
  DUPLICATE_KEY: 'This field is written twice; keep one.',
  MULTILINE_IMPLICIT_KEY: 'A field name must stand on one line and be followed by a colon.',
  MISSING_CHAR: 'A character is missing here, such as a closing quote, a bracket, a comma or a colon.',
  MULTIPLE_DOCS:
    'One file holds one document: remove the line with --- and what follows, or move it to a file of its own.',
  TAG_RESOLVE_FAILED: 'Tags such as !name are not read here; write plain text, numbers, lists and maps.',
  BLOCK_AS_IMPLICIT_KEY: 'Text with a colon in it needs quotes, or the next field belongs on a line of its own.',
};

function syntaxMessage({ code, message }: YAMLError): string {
  const plain = plainMessages[code];
  if (plain !== undefined) return plain;
  if (message.endsWith('at node end'))
    return 'This does not belong to what stands above it: check the indentation of both, and the quotes around texts.';
  const [first = ''] = message.split('\n');
  return `This is not valid YAML: ${first.replace(/[.:\s]+$/, '').slice(0, 200)}.`;
}

function offsetOf(
  document: Document.Parsed,
  text: string,
  wanted: { path: readonly string[]; at: 'key' | 'value' | undefined; within: string | undefined },
): number {
  let node: unknown = document.contents;
  let pair: Pair | undefined;
  let isThere = true;
  for (const key of wanted.path) {
    const found = childOf(node, key);
    if (!found) {
      isThere = false;
      break;
    }
    ({ node, pair } = found);
  }
  const nodeStart = startOf(node);
  const keyStart = startOf(pair?.key);
  // A part that is not there is missing from the one around it.
  if (wanted.at === 'key' || !isThere || isEmpty(node)) return keyStart ?? nodeStart ?? 0;
  if (wanted.within !== undefined) return textWithin(node as Node, text, wanted.within) ?? nodeStart ?? keyStart ?? 0;
  return nodeStart ?? keyStart ?? 0;
}

function childOf(node: unknown, key: string): { node: unknown; pair: Pair | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value ?? '') === key);
    return pair && { node: pair.value, pair };
  }
  if (isSeq(node) && Number(key) < node.items.length) return { node: node.items[Number(key)], pair: undefined };
  return undefined;
}

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

const isEmpty = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && node.value === null);

/** Undefined where escapes in the YAML hide the piece. */
function textWithin(node: Node, text: string, piece: string): number | undefined {
  const [start, end] = node.range ?? [0, 0];
  const found = text.indexOf(piece, start);
  return found === -1 || found >= end ? undefined : found;
}
