import { llm } from '@livekit/agents';
import { cutHere } from '../tools/answer.ts';

/** What is left out goes a quarter of the context at a time: between two cuts the beginning stays, and providers keep what they have read of it. */
const cutPart = 0.25;
/** One result of a tool may fill so much of the context; the rest of it is not told. */
const resultPart = 0.25;

/**
 * About how many tokens a text is. Providers count exactly; this only decides what is left out. Four characters a token is
 * the usual rule of thumb for English; Chinese, Japanese and Korean have about one for each character, other scripts
 * than Latin about one for two.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += 1) tokens += tokensOfUnit(text.charCodeAt(at));
  return tokens;
}

function tokensOfUnit(unit: number): number {
  if (unit < 0x250) return 0.25;
  // CJK radicals to unified ideographs, Hangul, halves of emoji and rare ideographs, compatibility and full-width forms.
  const isWide = (unit >= 0x2e80 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xdfff) || unit >= 0xf900;
  return isWide ? 1 : 0.5;
}

const sizeOf = (item: llm.ChatItem): number => tokensOf(JSON.stringify(item));
const sizeOfAll = (items: readonly llm.ChatItem[]): number => items.reduce((sum, item) => sum + sizeOf(item), 0);

/** What the model is told of its tools counts too. */
export const sizeOfTools = (tools: llm.ToolContextLike | undefined): number =>
  Object.values(llm.toToolContext(tools)?.functionTools ?? {}).reduce(
    (sum, { name, description, parameters }) => sum + tokensOf(JSON.stringify([name, description, parameters])),
    0,
  );

/**
 * What a model is sent of a conversation (the rule `drop-oldest`): all of it while it fits into `maxTokens`, else without
 * its oldest part. Instructions, the person's last words and what came last always stay; a call and its result stay or go
 * together.
 */
export function contextFor(items: readonly llm.ChatItem[], maxTokens: number): llm.ChatItem[] {
  const told = items.map((item) => withShortResult(item, maxTokens * resultPart));
  const tooMany = sizeOfAll(told) - maxTokens;
  if (tooMany <= 0) return told;
  const cut = maxTokens * cutPart;
  const dropped = oldest(told, Math.ceil(tooMany / cut) * cut);
  return told.filter((item) => !dropped.has(item));
}

/** So many tokens of the oldest items, whole units, without what always stays. */
function oldest(items: readonly llm.ChatItem[], tokens: number): ReadonlySet<llm.ChatItem> {
  const lastWords = items.findLast((item) => item.type === 'message' && item.role === 'user');
  const units = unitsOf(items.filter((item) => !isInstruction(item) && item !== lastWords)).slice(0, -1);
  const dropped = new Set<llm.ChatItem>();
  let left = tokens;
  for (const unit of units) {
    if (left <= 0) break;
    for (const item of unit) dropped.add(item);
    left -= sizeOfAll(unit);
  }
  return dropped;
}

const isInstruction = (item: llm.ChatItem): boolean => item.type === 'message' && item.role === 'system';

/** A message, or calls made at once with their results. */
function unitsOf(items: readonly llm.ChatItem[]): llm.ChatItem[][] {
  const units: llm.ChatItem[][] = [];
  const open = new Set<string>();
  for (const item of items) {
    const goesOn = open.size > 0 && item.type !== 'message';
    if (goesOn) units.at(-1)?.push(item);
    else units.push([item]);
    if (item.type === 'message') open.clear();
    if (item.type === 'function_call') open.add(item.callId);
    if (item.type === 'function_call_output') open.delete(item.callId);
  }
  return units;
}

function withShortResult(item: llm.ChatItem, maxTokens: number): llm.ChatItem {
  if (item.type !== 'function_call_output' || tokensOf(item.output) <= maxTokens) return item;
  let [end, tokens] = [0, 0];
  while (tokens < maxTokens) {
    tokens += tokensOfUnit(item.output.charCodeAt(end));
    end += 1;
  }
  const { id, callId, name, isError, createdAt } = item;
  const output = `${item.output.slice(0, end).toWellFormed()}${cutHere}`;
  return llm.FunctionCallOutput.create({ id, callId, name, isError, createdAt, output });
}
