import type { Api } from '../../client/api-client.ts';
import { bestEffort } from '../../client/best-effort.ts';
import { makeOutbox } from '../../client/outbox.ts';
import { ApiProblem } from '../../client/request.ts';
import type { JoinedRoom, RoomEvents } from '../../client/room-client.ts';
import type { AgentChoice, Connection, Figures } from '../../client/shapes.ts';
import { type DetailsWatch, watchDetails } from './details-watch.ts';
import type { Fact } from './state.ts';

export interface ConversationDeps {
  api: Api;
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

const rejoinDelaysMs = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** Creates a session and holds it until it is over; what happens is told as facts. */
export function holdConversation(
  { api, join, learn }: ConversationDeps,
  agent: AgentChoice,
  language: string,
): HeldConversation {
  let session: Connection | undefined;
  let room: JoinedRoom | undefined;
  let over = false;
  let ending = false;
  let forgotten = false;
  let talks = false;
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
    } catch {
      talks = false;
      tell({ kind: 'microphone', microphone: 'off' });
      tell({ kind: 'problem', message: 'The microphone could not be used. Allow it for this page and try again.' });
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
      await pause(delayMs);
      if (over || forgotten) return;
      try {
        return await enter(await api.readSession(agent, session.sessionId));
      } catch (error) {
        if (isOver(error)) return finishWithFigures(session);
        why = sentence(error);
      }
    }
    tell({ kind: 'connection', connection: 'lost' });
    tell({ kind: 'problem', message: `The conversation could not be reached again. ${why}` });
  }

  async function start(): Promise<void> {
    try {
      session = await api.createSession({ agent, language });
      tell({ kind: 'created', sessionId: session.sessionId });
      if (forgotten) return void api.endSessionOnLeave(agent, session.sessionId);
      details = watchDetails({ api, sessionId: session.sessionId, tell, onEnded: finish });
      await enter(session);
    } catch (error) {
      if (!session) return tell({ kind: 'refused', message: sentence(error) });
      tell({ kind: 'connection', connection: 'lost' });
      tell({ kind: 'problem', message: sentence(error) });
    }
  }

  void start();

  return {
    say: outbox.say,
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
        tell({ kind: 'notEnded', message: sentence(error) });
        if (!room) void rejoin();
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

const sentence = (error: unknown) =>
  error instanceof ApiProblem
    ? error.message
    : 'The room could not be joined. Check that the room server is running and try again.';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
