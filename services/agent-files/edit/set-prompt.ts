/** Changes the prompt in the text of an agent's file; every other byte stays. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Pair, parseDocument, type Scalar } from 'yaml';
import { readDocument } from '../read/document.ts';

/** The prompt in an agent's file; undefined when the file cannot be read or has none. */
export function promptOf(text: string): string | undefined {
  const { value } = readDocument('agent.yaml', text);
  if (typeof value !== 'object' || value === null || !('prompt' in value)) return undefined;
  return typeof value.prompt === 'string' ? value.prompt : undefined;
}

/**
 * The file with another prompt: comments, order, quotes and blank lines stay, and a block stays a block. White space
 * around the prompt is not kept, as it means nothing. Undefined when the file cannot be read or has no prompt.
 */
export function setPrompt(text: string, prompt: string): string | undefined {
  const position = positionOf(text);
  if (!position) return undefined;
  const wanted = prompt.replaceAll(/\r\n?/g, '\n').trim().toWellFormed();
  if (promptOf(text)?.trim() === wanted) return text;
  return candidates(position, wanted)
    .map(({ value, rest = position.restOfLine, lines = '' }) => position.before + value + rest + lines + position.after)
    .find((changed) => saysOnlyThat(changed, text, wanted));
}

interface PromptPosition {
  before: string;
  /** The prompt as it is written, without the white space that ends a block. */
  written: string;
  /** What follows on the line of a value that is no block, such as a comment. */
  restOfLine: string;
  after: string;
  type: Scalar.Type | undefined;
  keyColumn: number;
  lineEnd: string;
}

function positionOf(text: string): PromptPosition | undefined {
  const document = parseDocument(text, { prettyErrors: false, version: '1.2', schema: 'core' });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const pair = document.contents.items.find(({ key }) => isScalar(key) && key.value === 'prompt') as Pair | undefined;
  const value = pair?.value;
  if (!pair || !isScalar(value) || !value.range || !isScalar(pair.key) || !pair.key.range) return undefined;
  const [start, end] = value.range;
  const type = value.type as Scalar.Type | undefined;
  const last = isBlock(type) ? start + lastLineEnd(text.slice(start, end)) : end;
  const restOfLine = isBlock(type) ? '' : (/^[^\r\n]*/.exec(text.slice(last))?.[0] ?? '');
  return {
    before: text.slice(0, start),
    written: text.slice(start, last),
    restOfLine,
    after: text.slice(last + restOfLine.length),
    type,
    keyColumn: pair.key.range[0] - (text.lastIndexOf('\n', pair.key.range[0] - 1) + 1),
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

const isBlock = (type: Scalar.Type | undefined): boolean => type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED';

/** Blank lines after a block are formatting of the file; they stay. */
function lastLineEnd(block: string): number {
  const lastCharacter = block.search(/\s*$/);
  const lineEnd = block.slice(lastCharacter).search(/\r?\n/);
  return lineEnd === -1 ? block.length : lastCharacter + lineEnd;
}

interface Candidate {
  value: string;
  rest?: string;
  lines?: string;
}

/** Ways to write the prompt, the one most like the present one first; the first that means the prompt is taken. */
function candidates(position: PromptPosition, prompt: string): Candidate[] {
  const quoted: Candidate = { value: JSON.stringify(prompt) };
  if (isBlock(position.type)) return [blockLike(position, prompt), plainBlock(position, prompt, ''), quoted];
  const block: Candidate = plainBlock(position, prompt, position.restOfLine);
  if (prompt.includes('\n')) return [{ ...block, rest: '' }, quoted];
  switch (position.type) {
    case 'PLAIN':
      return [{ value: prompt }, quoted];
    case 'QUOTE_SINGLE':
      return [{ value: `'${prompt.replaceAll("'", "''")}'` }, quoted];
    default:
      return [quoted];
  }
}

/** With the header, comment and indentation that the block has. */
function blockLike({ written, keyColumn, lineEnd, type }: PromptPosition, prompt: string): Candidate {
  const [header = ''] = /^[^\r\n]*/.exec(written) ?? [];
  const indent = /\n( +)\S/.exec(written)?.[1] ?? ' '.repeat(keyColumn + 2);
  // In a folded block one line end is a space, and one more is needed for each that is meant.
  const text = type === 'BLOCK_FOLDED' ? prompt.replaceAll(/\n+/g, (ends) => `${ends}\n`) : prompt;
  return { value: header, lines: indented(text, indent, lineEnd) };
}

const plainBlock = ({ keyColumn, lineEnd }: PromptPosition, prompt: string, rest: string): Candidate => ({
  value: `|${rest}`,
  lines: indented(prompt, ' '.repeat(keyColumn + 2), lineEnd),
});

const indented = (text: string, indent: string, lineEnd: string): string =>
  text
    .split('\n')
    .map((line) => lineEnd + (line === '' ? '' : indent + line))
    .join('');

/** Reads it back: the prompt is the wanted one, and all other values are what they were. */
function saysOnlyThat(changed: string, original: string, prompt: string): boolean {
  const { value } = readDocument('agent.yaml', changed);
  const { value: before } = readDocument('agent.yaml', original);
  if (!isFields(value) || !isFields(before) || typeof value.prompt !== 'string') return false;
  if (value.prompt.trim() !== prompt) return false;
  return isDeepStrictEqual({ ...value, prompt: '' }, { ...before, prompt: '' });
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
