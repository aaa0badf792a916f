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
  const faults = causes([...document.errors, ...document.warnings])
    .slice(0, mostSyntaxFaults)
    .map(({ offset, message }) => fault(offset, message));
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

interface Located {
  offset: number;
  message: string;
}

/** After these the parser no longer knows what belongs to what, and what it reports from there on are guesses. */
const losingTrack: readonly YAMLError['code'][] = [
  ...(['BAD_INDENT', 'TAB_AS_INDENT', 'MISSING_CHAR', 'UNEXPECTED_TOKEN'] as const),
  ...(['BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY'] as const),
];

/** The errors up to the first that loses track; the place of that is the line with the mistake, or the one before (yaml 2.9, a space too many and too few in each line of a file). */
function causes(errors: readonly YAMLError[]): Located[] {
  const lost = errors.findIndex(({ code }) => losingTrack.includes(code));
  const told = lost === -1 ? errors : errors.slice(0, lost + 1);
  const isOverLines =
    errors[lost]?.code === 'BLOCK_AS_IMPLICIT_KEY' && errors[lost + 1]?.code === 'MULTILINE_IMPLICIT_KEY';
  return told.map((error, index) => ({
    offset: error.pos[0],
    message: index === lost && isOverLines ? indentedOrQuoted : syntaxMessage(error),
  }));
}

const indentedOrQuoted =
  'The indentation of this line or of the next does not fit; fields of one map begin in the same column. A text with a colon in it needs quotes.';

/** YAML that is legal and has no place here: what is read must be plain JSON, and each part must have one place. */
function unsupported(document: Document.Parsed): Located[] {
  const found: Located[] = [];
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
  const plain = plainMessages[message.includes('Sequence item without') ? 'BAD_INDENT' : code];
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
