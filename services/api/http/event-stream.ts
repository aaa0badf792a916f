import type { Request, RequestHandler, Response } from 'express';
import { problems } from '../../contract/problems.ts';
import type { Role } from '../../contract/roles.ts';
import type { RightsCache } from '../../core/account/rights.ts';
import { sleepOrStop } from '../../process/sleep.ts';
import { untilItMustEnd, writeOut } from './lasting-answer.ts';
import { personOf, tenantOf } from './person-access.ts';

export interface StreamDeps {
  rights: RightsCache;
  /** Fires when this process begins to stop. */
  stopping: AbortSignal;
}

export interface StreamEvent {
  event: string;
  /** What a client that comes back says it has seen; left out where nothing can go on from it. */
  id?: string | undefined;
  data: object;
}

/** What happened since the last look. */
export interface Look {
  events: StreamEvent[];
  /** Nothing more will come. */
  isOver: boolean;
}

export interface EventSource {
  /** Opens a source for this request; throws a Problem before anything is answered. `seen` is what the client says it has seen last. */
  open(req: Request, seen: string | undefined): Promise<() => Promise<Look>>;
}

const lookEveryMs = 1_000;
/** Balancers close connections on which nothing moves, some after 60 s. */
const aliveEveryMs = 15_000;
const streamsOfPerson = 10;
/** Each asks the database once a second. */
const mostStreams = 300;

/**
 * Server-sent events, for a page that reads them with fetch and its access token. Ends when the person may not see them any more; the client
 * comes back with `Last-Event-ID`.
 */
export function eventStreams(deps: StreamDeps): (least: Role, source: EventSource) => RequestHandler {
  const open = new Map<string, number>();
  let all = 0;
  const admit = (person: string): (() => void) => {
    const own = open.get(person) ?? 0;
    if (own >= streamsOfPerson || all >= mostStreams) throw problems.tooManyStreams();
    open.set(person, own + 1);
    all += 1;
    return () => {
      const left = (open.get(person) ?? 1) - 1;
      if (left > 0) open.set(person, left);
      else open.delete(person);
      all -= 1;
    };
  };
  return (least, source) => async (req, res) => {
    const { person, signIn } = personOf(req);
    const { tenant } = tenantOf(req);
    const leave = admit(person);
    try {
      const look = await source.open(req, seenBy(req));
      const signal = untilItMustEnd(res, deps, { caller: { person, signIn }, tenant, least });
      await stream(res, look, signal);
    } finally {
      leave();
    }
  };
}

const seenBy = (req: Request): string | undefined => req.get('last-event-id')?.slice(0, 100) || undefined;

async function stream(res: Response, look: () => Promise<Look>, signal: AbortSignal): Promise<void> {
  res.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
  let quietSince = performance.now();
  for (;;) {
    const { events, isOver } = await look();
    const isQuiet = events.length === 0 && performance.now() - quietSince > aliveEveryMs;
    const text = isQuiet ? ': alive\n\n' : events.map(asText).join('');
    if (text !== '') {
      quietSince = performance.now();
      if (!(await writeOut(res, text, signal))) break;
    }
    if (isOver || signal.aborted) break;
    await sleepOrStop(lookEveryMs, signal);
  }
  res.end();
}

/** JSON has no line breaks of its own, so that the data is one line. */
const asText = ({ event, id, data }: StreamEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
