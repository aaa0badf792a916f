/**
 * What an agent wrote, as parts that are drawn as text: paragraphs, lists, links, bold, code. Nothing is ever taken for HTML, no picture is
 * loaded, and a link leads to http, https, mailto or tel, or is no link.
 */
export type Block =
  | { kind: 'paragraph'; parts: Part[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Part[][] }
  | { kind: 'code'; text: string };

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; text: string }
  | { kind: 'code'; text: string }
  /** `host`: shown beside words that do not say where the link leads. */
  | { kind: 'link'; text: string; url: string; host?: string };

/** Longer replies are drawn as plain text: looking for links in them would hold the page up. */
const longestRich = 20_000;
/** Characters that turn the direction of what follows, or cannot be seen: with them a link reads as another one. */
const deceiving = /[\u200B\u200E\u200F\u061C\u202A-\u202E\u2060-\u2069\uFEFF]/g;

export function blocksOf(given: string): Block[] {
  const text = given.replace(deceiving, '');
  if (text.length > longestRich) return [{ kind: 'paragraph', parts: [{ kind: 'text', text }] }];
  const blocks: Block[] = [];
  let lines: string[] = [];
  const flush = () => {
    const joined = lines.join('\n').trim();
    if (joined) blocks.push({ kind: 'paragraph', parts: partsOf(joined) });
    lines = [];
  };
  const all = text.split(/\r\n?|\n/);
  for (let at = 0; at < all.length; at += 1) {
    const line = all[at] ?? '';
    if (line.startsWith('```')) {
      const end = all.findIndex((other, index) => index > at && other.startsWith('```'));
      flush();
      blocks.push({ kind: 'code', text: all.slice(at + 1, end === -1 ? undefined : end).join('\n') });
      at = end === -1 ? all.length : end;
    } else if (itemOf(line)) {
      flush();
      at = takeList(all, at, blocks);
    } else if (line.trim() === '') flush();
    else lines.push(line.replace(/^#{1,6} +/, ''));
  }
  flush();
  return blocks;
}

interface Item {
  isOrdered: boolean;
  number: number;
  text: string;
}

function itemOf(line: string): Item | undefined {
  const found = /^ {0,3}(?:[-*•]|(\d{1,4})[.)]) +(\S.*)$/.exec(line);
  if (!found) return undefined;
  const [, number, text = ''] = found;
  return { isOrdered: number !== undefined, number: Number(number ?? 1), text };
}

/** Takes the items that follow each other; gives the line of the last one. */
function takeList(all: readonly string[], from: number, blocks: Block[]): number {
  const first = itemOf(all[from] ?? '');
  if (!first) return from;
  const items: Part[][] = [];
  let at = from;
  for (; at < all.length; at += 1) {
    const item = itemOf(all[at] ?? '');
    if (!item || item.isOrdered !== first.isOrdered) break;
    items.push(partsOf(item.text));
  }
  blocks.push({ kind: 'list', isOrdered: first.isOrdered, start: first.number, items });
  return at - 1;
}

/** Each alternative begins with a character of its own and has a bound, so that no text takes long. */
const marked =
  /!?\[([^\][\n]{0,300})\]\(\s{0,3}([^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,500})?)(?:\s{1,3}"[^"\n]{0,200}")?\s{0,3}\)|\*\*([^*\n]{1,500})\*\*|`([^`\n]{1,500})`|\b(https?:\/\/[^\s<>"'`\])]{1,2000})/g;

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) parts.push({ kind: 'text', text: text.slice(from, to) });
  };
  let last = 0;
  for (const found of text.matchAll(marked)) {
    const [whole, label, url, bold, code, bare] = found;
    plain(last, found.index);
    last = found.index + whole.length;
    if (bold !== undefined) parts.push({ kind: 'bold', text: bold });
    else if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (bare !== undefined) last -= pushBare(parts, bare);
    else parts.push(linkOf(label ?? '', url ?? '', whole));
  }
  plain(last, text.length);
  return parts;
}

/** The full stop after an address is not part of it. Gives how many characters were left out. */
function pushBare(parts: Part[], bare: string): number {
  const trimmed = bare.replace(/[.,;:!?]+$/, '');
  const url = safeUrl(trimmed);
  parts.push(url ? { kind: 'link', text: trimmed, url } : { kind: 'text', text: trimmed });
  return bare.length - trimmed.length;
}

function linkOf(label: string, address: string, whole: string): Part {
  const url = safeUrl(address);
  if (!url) return { kind: 'text', text: whole };
  const host = new URL(url).host;
  const text = label.trim() || host || url;
  return isHonest(text, url) ? { kind: 'link', text, url } : { kind: 'link', text, url, host };
}

/** Whether words that look like an address look like this one. */
function isHonest(text: string, url: string): boolean {
  const { host } = new URL(url);
  const named = /\b((?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24})\b/u.exec(text)?.[1]?.toLowerCase();
  return !host || named === undefined || host === named || host === `www.${named}` || `www.${host}` === named;
}

const allowed = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** The address as the browser reads it, where it is one that may be followed. */
export function safeUrl(address: string): string | undefined {
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  // https://bank.example@evil.example leads elsewhere than it reads.
  return allowed.has(protocol) && !username && !password ? href : undefined;
}
