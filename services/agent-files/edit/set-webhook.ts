/** Changes where an agent's finished conversations go in the text of its file; every other byte stays. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { readDocument } from '../read/document.ts';

/** An address, or the variable that holds one; null: nowhere. */
export type WebhookUrl = string | { env: string } | null;

/** What an agent's file says now; undefined when it can't be read. */
export function webhookUrlOf(text: string): WebhookUrl | undefined {
  const { value } = readDocument('agent.yaml', text);
  return isFields(value) ? urlIn(value) : undefined;
}

function urlIn(file: Record<string, unknown>): WebhookUrl | undefined {
  const { webhook = null } = file;
  if (webhook === null) return null;
  if (!isFields(webhook)) return undefined;
  const { url } = webhook;
  if (typeof url === 'string') return url;
  return isFields(url) && typeof url.env === 'string' ? { env: url.env } : undefined;
}

/** The file with another address, comments and order kept. Undefined when it can't be read, or can't be changed by itself. */
export function setWebhookUrl(text: string, url: WebhookUrl): string | undefined {
  const before = webhookUrlOf(text);
  if (before === undefined) return undefined;
  if (isDeepStrictEqual(before, url)) return text;
  const document = parseDocument(text, { prettyErrors: false, version: '1.2', schema: 'core' });
  if (!isMap(document.contents)) return undefined;
  const changed = candidates(text, document.contents, url).find((candidate) => saysOnlyThat(candidate, text, url));
  return changed;
}

/** Ways to write it, the one most like the present one first. */
function candidates(text: string, file: YAMLMap, url: WebhookUrl): string[] {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const webhook = pairOf(file, 'webhook');
  if (url === null) return webhook ? [withoutLines(text, webhook), withoutFlowPair(text, webhook)] : [];
  const value = typeof url === 'string' ? [plainOf(url), JSON.stringify(url)] : [`{ env: ${url.env} }`];
  const urlPair = webhook && isMap(webhook.value) ? pairOf(webhook.value, 'url') : undefined;
  if (urlPair) return value.map((written) => replaced(text, urlPair, written));
  if (webhook) return value.map((written) => replaced(text, webhook, `{ url: ${written} }`));
  const indent = ' '.repeat(columnOf(text, file));
  return value.flatMap((written) => [
    appended(text, [`${indent}webhook:`, `${indent}  url: ${written}`], lineEnd),
    text.replace(/\s*\}\s*$/, (end) => `, webhook: { url: ${written} }${end}`),
  ]);
}

const pairOf = (map: YAMLMap, name: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === name);

/** Addresses that YAML reads as they are; any other is quoted. */
const plainOf = (url: string): string =>
  /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s#,[\]{}'"`|>&*!%@]+$/.test(url) ? url : JSON.stringify(url);

function replaced(text: string, { value }: Pair, written: string): string {
  const [start, end] = (value as Node | null)?.range ?? [0, 0];
  const old = text.slice(start, end);
  // A field without a value ends at its colon.
  const gap = old === '' && text[start - 1] === ':' ? ' ' : '';
  return text.slice(0, start) + gap + written + old.slice(old.trimEnd().length) + text.slice(end);
}

function appended(text: string, lines: readonly string[], lineEnd: string): string {
  const end = text === '' || text.endsWith('\n') ? '' : lineEnd;
  return `${text}${end}${lines.map((line) => line + lineEnd).join('')}`;
}

/** From the line of the key to the last line of the value; comments above it and below it stay. */
function withoutLines(text: string, pair: Pair): string {
  const [keyStart] = (pair.key as Node).range ?? [0];
  const [valueStart, valueEnd] = (pair.value as Node | null)?.range ?? [keyStart, keyStart];
  const from = text.lastIndexOf('\n', keyStart - 1) + 1;
  const lastOfValue = valueStart + text.slice(valueStart, valueEnd).trimEnd().length;
  const lineEnd = text.indexOf('\n', Math.max(lastOfValue, keyStart));
  return text.slice(0, from) + (lineEnd === -1 ? '' : text.slice(lineEnd + 1));
}

/** Of a map on one line: the pair and the comma that goes with it. */
function withoutFlowPair(text: string, pair: Pair): string {
  const [start] = (pair.key as Node).range ?? [0];
  const [, end] = (pair.value as Node | null)?.range ?? [0, start];
  const after = text.slice(end).replace(/^\s*,\s*/, '');
  if (after.length < text.length - end) return text.slice(0, start) + after;
  return text.slice(0, start).replace(/,\s*$/, '') + text.slice(end);
}

function columnOf(text: string, file: YAMLMap): number {
  const [first] = file.items;
  const [start] = (first?.key as Node | undefined)?.range ?? [0];
  return start - (text.lastIndexOf('\n', start - 1) + 1);
}

/** Reads it back: the address is the wanted one, and all other values, in their order, are what they were. */
function saysOnlyThat(changed: string, original: string, url: WebhookUrl): boolean {
  const { value } = readDocument('agent.yaml', changed);
  const { value: before } = readDocument('agent.yaml', original);
  if (!isFields(value) || !isFields(before) || !isDeepStrictEqual(urlIn(value), url)) return false;
  const others = ({ webhook: _, ...rest }: Record<string, unknown>) => rest;
  return JSON.stringify(others(value)) === JSON.stringify(others(before));
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
