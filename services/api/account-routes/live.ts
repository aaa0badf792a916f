import type { Request } from 'express';
import { type Heard, hear, liveConversations } from '../../core/insight/live.ts';
import { sha256 } from '../../core/sessions/ids.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { type EventSource, eventStreams, type Look, type StreamDeps, type StreamEvent } from '../http/event-stream.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { sessionIn } from './sessions.ts';

export interface LiveDeps extends StreamDeps {
  db: Database;
  clock: Clock;
}

type Live = 'GET /api/tenants/:tenant/live' | 'GET /api/tenants/:tenant/sessions/:session/live';

export function liveRoutes(deps: LiveDeps): Handlers<Live> {
  const streamed = eventStreams(deps);
  return {
    'GET /api/tenants/:tenant/live': [streamed('viewer', liveList(deps))],
    'GET /api/tenants/:tenant/sessions/:session/live': [streamed('viewer', conversation(deps))],
  };
}

/** The whole list whenever it is another; its id is a hash, so that who comes back and has it already is sent nothing. */
const liveList = ({ db }: LiveDeps): EventSource => ({
  open: async (req, seen) => {
    const { tenant } = tenantOf(req);
    let last = seen;
    return async () => {
      const data = { items: await liveConversations(db, tenant) };
      const id = sha256(JSON.stringify(data)).toString('base64url').slice(0, 22);
      const events = id === last ? [] : [{ event: 'sessions', id, data }];
      last = id;
      return { events, isOver: false };
    };
  },
});

const conversation = (deps: LiveDeps): EventSource => ({
  open: async (req: Request, seen) => {
    const { tenant } = tenantOf(req);
    const id = sessionIn(req);
    const told = new Told(seen !== undefined && /^\d{1,9}$/.test(seen) ? Number(seen) : 0);
    // Before anything is answered: what is not there is 404.
    let first: Heard | undefined = await hear(deps, tenant, id, told.sequence);
    return async () => {
      const heard = first ?? (await hear(deps, tenant, id, told.sequence));
      first = undefined;
      return told.news(heard);
    };
  },
});

/** What a client of a conversation's stream knows. */
class Told {
  sequence: number;
  #state = '';
  #drafts = '';

  constructor(sequence: number) {
    this.sequence = sequence;
  }

  news({ state, messages, drafts, isComplete }: Heard): Look {
    const events: StreamEvent[] = messages.map((data) => ({ event: 'message', id: String(data.sequence), data }));
    this.sequence = messages.at(-1)?.sequence ?? this.sequence;
    const shownDrafts = JSON.stringify(drafts);
    if (shownDrafts !== this.#drafts) events.push(...drafts.map((data) => ({ event: 'draft', data })));
    this.#drafts = shownDrafts;
    const shownState = JSON.stringify(state);
    if (shownState !== this.#state) events.push({ event: 'state', data: state });
    this.#state = shownState;
    // Lines may still be waiting when there are more than one look takes.
    const isOver = isComplete && messages.length === 0;
    if (isOver) events.push({ event: 'ended', data: state });
    return { events, isOver };
  }
}
