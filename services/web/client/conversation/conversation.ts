import type { Api } from '../api-client.ts';
import { bestEffort } from '../best-effort.ts';
import { makeOutbox } from '../outbox.ts';
import { ApiProblem } from '../request.ts';
import type { JoinedRoom, RoomEvents } from '../room-client.ts';
import type { Connection, Figures } from '../shapes.ts';
import { sleep } from '../sleep.ts';
import { type DetailsWatch, watchDetails } from './details-watch.ts';
import type { Fact } from './state.ts';

/** What a conversation asks the service for. `Agent` is what the page knows its agent by. */
export interface ConversationApi<Agent> extends Pick<Api, 'readDetails'> {
  createSession(choice: { agent: Agent; language: string }): Promise<Connection>;
  /** @throws ApiProblem `session_ended`, or with status 404, once it is over */
  readSession(agent: Agent, id: string): Promise<Connection>;
  endSession(agent: Agent, id: string): Promise<Figures>;
  endSessionOnLeave(agent: Agent, id: string): void;
}

/** `missing`: there is none. `busy`: something else holds it. `refused`: the person, their browser or their system does not allow it. */
export type MicrophoneTrouble = 'missing' | 'busy' | 'refused';

/** What is said to the person when something goes wrong. */
export interface ConversationWords {
  noMicrophone(why: MicrophoneTrouble): string;
  /** @param why in words, or an empty text */
  notReached(why: string): string;
  refusal(error: unknown): string;
}

export const inEnglish: ConversationWords = {
  noMicrophone: (why) =>
    ({
      missing: 'There is no microphone here. Connect one and try again, or go on in writing.',
      busy: 'The microphone is in use by another program. Close that and try again.',
      refused: 'The microphone could not be used. Allow it for this page and try again.',
    })[why],
  notReached: (why) => `The conversation could not be reached again. ${why}`,
  refusal: (error) =>
    error instanceof ApiProblem
      ? error.message
      : 'The room could not be joined. Check that the room server is running and try again.',
};

export interface ConversationDeps<Agent> {
  api: ConversationApi<Agent>;
  words?: ConversationWords;
  join(connection: Connection, on: RoomEvents): Promise<JoinedRoom>;
  learn(fact: Fact): void;
}

export interface HeldConversation {
  say(text: string): void;
  /** Takes the microphone: from then on the conversation is spoken. */
  talk(): Promise<void>;
  mute(muted: boolean): Promise<void>;
  interrupt(): void;
  loudness(): { person: number; agent: number };
  end(): Promise<void>;
  /** After the connection was lost for good: once more. */
  rejoin(): Promise<void>;
  /** The page is closing. */
  abandon(): void;
  /** The page shows something else now: nothing more is asked or told. */
  forget(): void;
}

/** While the service is away: as long as a restart may take. */
const endAgainDelaysMs = [1_000, 2_000, 4_000, ...Array.from({ length: 14 }, () => 8_000)];
const rejoinDelaysMs = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** Creates a session and holds it until it is over; what happens is told as facts. */
export function holdConversation<Agent>(
  { api, join, learn, words = inEnglish }: ConversationDeps<Agent>,
  agent: Agent,
  language: string,
): HeldConversation {
  let session: Connection | undefined;
  let room: JoinedRoom | undefined;
  let over = false;
  let ending = false;
  let forgotten = false;
  let talks = false;
  /** The person wanted it to end, and has said nothing since. */
  let endWanted = false;
  let details: DetailsWatch | undefined;

  const tell = (fact: Fact) => {
    if (!forgotten) learn(fact);
  };
  const outbox = makeOutbox(tell);

  const enter = async (connection: Connection) => {
    const entered = await join(connection, roomEvents);
    if (over || forgotten) return entered.leave();
    room = entered;
    outbox.open(entered.send);
    if (talks) await takeMicrophone(true);
  };

  const takeMicrophone = async (on: boolean) => {
    try {
      await room?.setMicrophone(on);
      tell({ kind: 'microphone', microphone: on ? 'on' : 'muted' });
    } catch (error) {
      talks = false;
      tell({ kind: 'microphone', microphone: 'off' });
      tell({ kind: 'problem', message: words.noMicrophone(troubleOf(error)) });
    }
  };

  const leaveRoom = () => {
    outbox.close();
    const left = room;
    room = undefined;
    return left?.leave();
  };

  const finish = (figures: Figures | undefined) => {
    if (over) return;
    over = true;
    tell({ kind: 'ended', figures });
    void leaveRoom();
    details?.lookNow();
  };

  /** The session is over on the server's side; ending it again is harmless and tells its figures. */
  const finishWithFigures = async ({ sessionId }: Connection) => {
    finish(await bestEffort('without its figures it is over all the same', api.endSession(agent, sessionId)));
  };

  const roomEvents: RoomEvents = {
    connection: (connection) => {
      tell({ kind: 'connection', connection });
      if (connection === 'connected') outbox.release();
      else outbox.hold();
    },
    agentArrived: outbox.resend,
    agentState: (state) => tell({ kind: 'agentState', state }),
    replyBegan: (id) => tell({ kind: 'replyBegan', id }),
    replyGrew: (id, chunk) => tell({ kind: 'replyGrew', id, chunk }),
    heard: (id, text) => tell({ kind: 'heard', id, text }),
    replyEnded: (id, whole) => {
      tell({ kind: 'replyEnded', id, whole });
      details?.lookNow();
    },
    // The room closes before the request that ended it is answered; then nothing was lost.
    lost: () => {
      void leaveRoom();
      if (!ending) void rejoin();
    },
  };

  async function rejoin(): Promise<void> {
    if (!session || over || forgotten) return;
    tell({ kind: 'connection', connection: 'reconnecting' });
    let why = '';
    for (const delayMs of rejoinDelaysMs) {
      await sleep(delayMs);
      if (over || forgotten) return;
      try {
        return await enter(await api.readSession(agent, session.sessionId));
      } catch (error) {
        if (isOver(error)) return finishWithFigures(session);
        why = words.refusal(error);
      }
    }
    tell({ kind: 'connection', connection: 'lost' });
    tell({ kind: 'problem', message: words.notReached(why) });
  }

  async function start(): Promise<void> {
    try {
      session = await api.createSession({ agent, language });
      tell({ kind: 'created', sessionId: session.sessionId });
      if (forgotten) return void api.endSessionOnLeave(agent, session.sessionId);
      details = watchDetails({ api, sessionId: session.sessionId, tell, onEnded: finish });
      await enter(session);
    } catch (error) {
      if (!session) return tell({ kind: 'refused', message: words.refusal(error) });
      tell({ kind: 'connection', connection: 'lost' });
      tell({ kind: 'problem', message: words.refusal(error) });
    }
  }

  async function endAgain({ sessionId }: Connection): Promise<void> {
    for (const delayMs of endAgainDelaysMs) {
      await sleep(delayMs);
      if (over || forgotten || !endWanted) return;
      try {
        return finish(await api.endSession(agent, sessionId));
      } catch (error) {
        if (!isAway(error)) return;
      }
    }
  }

  void start();

  return {
    say: (text) => {
      endWanted = false;
      outbox.say(text);
    },
    talk: async () => {
      talks = true;
      tell({ kind: 'microphone', microphone: 'asked' });
      await takeMicrophone(true);
    },
    mute: (muted) => takeMicrophone(!muted),
    interrupt: () => void bestEffort('a room that is left says nothing more', room?.interrupt()),
    loudness: () => room?.loudness() ?? { person: 0, agent: 0 },
    end: async () => {
      if (!session || over) return;
      ending = true;
      tell({ kind: 'ending' });
      try {
        finish(await api.endSession(agent, session.sessionId));
      } catch (error) {
        ending = false;
        tell({ kind: 'notEnded', message: words.refusal(error) });
        if (!room) void rejoin();
        if (endWanted || !isAway(error)) return;
        endWanted = true;
        void endAgain(session);
      }
    },
    rejoin,
    abandon: () => {
      if (session && !over) api.endSessionOnLeave(agent, session.sessionId);
    },
    forget: () => {
      if (session && !over) api.endSessionOnLeave(agent, session.sessionId);
      forgotten = true;
      void leaveRoom();
      details?.stop();
    },
  };
}

const isOver = (error: unknown) =>
  error instanceof ApiProblem && (error.code === 'session_ended' || error.status === 404);

/** The service may be back in a moment. */
const isAway = (error: unknown) => error instanceof ApiProblem && (error.status === 0 || error.status >= 500);

/** By the names of getUserMedia's errors (W3C, Media Capture and Streams). */
function troubleOf(error: unknown): MicrophoneTrouble {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotReadableError' ? 'busy' : 'refused';
}
