import type { ConversationItem } from '../../contract/history.ts';
import type { Database, Tx } from '../../store/database.ts';
import { listMessagesOf, type MessageRow } from '../../store/tables/messages.ts';
import { listToolCallsOf, type ToolCallRow } from '../../store/tables/tool-calls.ts';
import { toMessage, toToolCall } from './conversation.ts';
import { toItem } from './conversation-item.ts';
import type { ListPosition } from './list-cursor.ts';
import { type HistoryAsked, readPage } from './session-history.ts';

export type ExportAsked = Omit<HistoryAsked, 'cursor' | 'limit'>;

/** So many conversations are in memory at a time, with all that was said in them. */
const atOnce = { csv: 500, jsonl: 50 } as const;

/** The lines of an export as a table: a head, then a conversation each, without what was said. Each text has whole lines. */
export async function* csvLines(db: Database, tenant: string, asked: ExportAsked): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const { items } of pages(db, tenant, asked, atOnce.csv, async () => undefined))
    yield items.map((item) => `${columns.map((name) => csvField(item[name])).join(',')}\r\n`).join('');
}

/** A conversation a line, with what was said and which tools were called. Each text has whole lines. */
export async function* jsonLines(
  db: Database,
  tenant: string,
  asked: ExportAsked,
  sees: { toolArguments: boolean },
): AsyncGenerator<string> {
  const read = async (tx: Tx, ids: string[]) => ({
    messages: Map.groupBy(await listMessagesOf(tx, ids), ({ session_id }) => session_id),
    toolCalls: Map.groupBy(await listToolCallsOf(tx, ids), ({ session_id }) => session_id),
  });
  for await (const { items, more } of pages(db, tenant, asked, atOnce.jsonl, read))
    yield items.map((item) => `${JSON.stringify(whole(item, more, sees))}\n`).join('');
}

interface Spoken {
  messages: Map<string, MessageRow[]>;
  toolCalls: Map<string, ToolCallRow[]>;
}

const whole = (item: ConversationItem, { messages, toolCalls }: Spoken, sees: { toolArguments: boolean }) => ({
  ...item,
  messages: (messages.get(item.id) ?? []).map(toMessage),
  toolCalls: (toolCalls.get(item.id) ?? []).map((call) => toToolCall(call, sees.toolArguments)),
});

/** Page after page, each in a transaction of its own: nothing is held open while somebody reads slowly. */
async function* pages<More>(
  db: Database,
  tenant: string,
  asked: ExportAsked,
  limit: number,
  read: (tx: Tx, ids: string[]) => Promise<More>,
): AsyncGenerator<{ items: ConversationItem[]; more: More }> {
  let after: ListPosition | undefined;
  do {
    const page = await db.asTenant(tenant, async (tx) => {
      const { rows, next } = await readPage(tx, { ...asked, limit }, after);
      const ids = rows.map(({ id }) => id);
      return { items: rows.map(toItem), next, more: await read(tx, ids) };
    });
    if (page.items.length > 0) yield page;
    after = page.next;
  } while (after);
}

const columns = [
  ...['id', 'agent', 'version', 'status', 'endReason', 'channel', 'interactionMode', 'language', 'createdAt'],
  ...[
    'startedAt',
    'endedAt',
    'durationSeconds',
    'billedSeconds',
    'turns',
    'outcome',
    'sentiment',
    'toolFailed',
    'test',
  ],
  'summary',
] as (keyof ConversationItem)[];

/** As RFC 4180 has it. What a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? value.toISOString() : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
