import type { SessionDetails, StoredMessage, ToolCall } from '../shapes.ts';
import type { Entry } from '../transcript.ts';

export type TimelineItem = { kind: 'entry'; entry: Entry } | { kind: 'toolCall'; toolCall: ToolCall; key: string };

/**
 * What was said, with each tool call where it happened: before the reply that followed it. The place is counted in replies,
 * not read from clocks, because the page's clock is not the server's.
 */
export function timelineOf(entries: readonly Entry[], details: SessionDetails | undefined): TimelineItem[] {
  const waiting = placed(details);
  const items: TimelineItem[] = [];
  let replies = 0;
  for (const entry of entries) {
    if (entry.from === 'agent') {
      items.push(...takeUntil(waiting, replies));
      replies += entry.progress === 'cut' ? 0 : 1;
    }
    items.push({ kind: 'entry', entry });
  }
  items.push(...takeUntil(waiting, Number.POSITIVE_INFINITY));
  return items;
}

interface PlacedCall {
  item: TimelineItem;
  repliesBefore: number;
}

function placed(details: SessionDetails | undefined): PlacedCall[] {
  if (!details) return [];
  const replies = details.messages.filter(({ role, interrupted }) => role === 'ASSISTANT' && !interrupted);
  return details.toolCalls.map((toolCall, index) => ({
    item: { kind: 'toolCall', toolCall, key: `${toolCall.startedAt} ${index}` },
    repliesBefore: countStreams(
      replies.filter((reply) => reply.at <= toolCall.startedAt && !sameTurn(reply, toolCall)),
    ),
  }));
}

/** A turn is one text stream in the room, though it is stored in pieces when it calls tools between its words. */
const countStreams = (replies: readonly StoredMessage[]) =>
  new Set(replies.map(({ turn }, index) => (turn ? `turn ${turn}` : `line ${index}`))).size;

const sameTurn = (reply: StoredMessage, toolCall: ToolCall) => toolCall.turn > 0 && reply.turn === toolCall.turn;

function takeUntil(waiting: PlacedCall[], replies: number): TimelineItem[] {
  const due = waiting.findIndex((call) => call.repliesBefore > replies);
  return waiting.splice(0, due === -1 ? waiting.length : due).map((call) => call.item);
}
