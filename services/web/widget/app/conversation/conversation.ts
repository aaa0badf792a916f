import { bestEffort } from '../../../client/best-effort.ts';
import { makeOutbox } from '../../../client/outbox.ts';
import { randomId } from '../../../client/random-id.ts';
import type { HeldRoom, joinRoom, Microphone, RoomEvents, takeMicrophone } from '../../../client/room-client.ts';
import type { Figures } from '../../../client/shapes.ts';
import { sleep } from '../../../client/sleep.ts';
import type { ErrorCode } from '../../shapes.ts';
import { answerOf } from './answer.ts';
import type { Api, Created, Wishes } from './api.ts';
import type { Remembered } from './memory.ts';
import { lastTexts } from './memory.ts';
import { askedToWait, codeOf, codeOfMicrophone, mayBeTriedAgain, waitMs } from './problems.ts';
import { type Fact, isLive, type Notice, type State } from './state.ts';

export interface ConversationDeps {
  api: Api;
  join: typeof joinRoom;
  microphone: typeof takeMicrophone;
  /** What the conversation is to be held in. */
  wishes(): Promise<Omit<Wishes, 'interactionMode'>>;
  /** What shows that a person begins it, anew each time; undefined: the agent asks for nothing. @throws Error `challenge_required` */
  challenge?(): Promise<string | undefined>;
  /** Whoever tells the room which of the agent's tools the page answers. */
  onJoined(room: HeldRoom): void;
  learn(fact: Fact): void;
  state(): State;
  pause?(ms: number): Promise<void>;
}

export type Conversation = ReturnType<typeof holdConversation>;

/** So often a beginning is tried before the person is asked to. */
const mostAttempts = 4;
const rejoinDelaysMs = [0, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * Holds one conversation after another. Nothing is asked of anybody before the first word or press; what happens is told as facts.
 */
export function holdConversation(deps: ConversationDeps, remembered?: Remembered) {
  const { api, join, learn, state, pause = sleep } = deps;
  let room: HeldRoom | undefined;
  let sessionId = remembered?.sessionId;
  let microphone: Microphone | undefined;
  let beginning: Promise<void> | undefined;
  /** Changes with each conversation: what comes late for another one is not heard. */
  let turn = 0;
  let outbox = makeOutbox(learn, remembered ? lastTexts(remembered.entries) : []);

  const notice = (code: ErrorCode | undefined, more: Partial<Notice> = {}) =>
    learn({ kind: 'notice', notice: code && { code, isRetried: false, ...more } });

  const leaveRoom = async () => {
    outbox.close();
    const left = room;
    room = undefined;
    microphone?.stop();
    microphone = undefined;
    await bestEffort('a room that is lost is left all the same', left?.leave());
  };

  const finish = (figures: Figures | undefined) => {
    turn += 1;
    sessionId = undefined;
    void leaveRoom();
    learn({ kind: 'ended', figures });
  };

  const finishWithFigures = async (id: string) =>
    finish(await bestEffort('without its figures it is over all the same', api.end(id)));

  const enter = async ({ connection }: Created): Promise<void> => {
    const mine = turn;
    const isMine = () => mine === turn;
    let joined: HeldRoom | undefined;
    let isAgentThere = false;
    const events: RoomEvents = {
      connection: (connected) => {
        if (!isMine()) return;
        learn({ kind: 'connection', connection: connected });
        if (connected === 'connected') outbox.release();
        else outbox.hold();
      },
      // What is sent while no agent is there reaches nobody: texts wait for it, and the last go out again to the next one.
      agentArrived: () => {
        isAgentThere = true;
        if (isMine() && joined) outbox.open(joined.send);
      },
      agentState: (told) => isMine() && learn({ kind: 'agent', state: told }),
      agentMode: (mode) => isMine() && agentMode(mode),
      sound: (isBlocked) => isMine() && learn({ kind: 'sound', isBlocked }),
      replyBegan: (id) => isMine() && learn({ kind: 'replyBegan', id }),
      replyGrew: (id, chunk) => isMine() && learn({ kind: 'replyGrew', id, chunk }),
      replyEnded: (id, whole) => isMine() && learn({ kind: 'replyEnded', id, whole }),
      heard: (id, text) => isMine() && learn({ kind: 'heard', id, text }),
      lost: (why) => {
        if (isMine()) lost(why);
      },
    };
    joined = await join(connection, events);
    if (!isMine()) return joined.leave();
    room = joined;
    if (isAgentThere) outbox.open(joined.send);
    deps.onJoined(joined);
    if (microphone) await publish(joined);
  };

  const lost = (why: 'replaced' | undefined) => {
    void leaveRoom();
    if (state().phase === 'ending') return;
    if (why === undefined) return void rejoin();
    learn({ kind: 'connection', connection: 'elsewhere' });
    notice('elsewhere');
  };

  /** What the agent says of how the conversation is held. */
  const agentMode = (mode: string) => {
    if (mode !== 'unavailable' || state().mode !== 'voice') return;
    notice('voice_unavailable');
    void write();
  };

  const publish = async (joined: HeldRoom) => {
    if (!microphone) return;
    await joined.publish(microphone);
    await joined.wish('voice');
    learn({ kind: 'microphone', microphone: 'on' });
  };

  async function rejoin(): Promise<void> {
    const mine = turn;
    if (sessionId === undefined) return;
    learn({ kind: 'connection', connection: 'reconnecting' });
    for (const delayMs of rejoinDelaysMs) {
      await pause(delayMs);
      if (mine !== turn || sessionId === undefined) return;
      try {
        return await enter(await api.read(sessionId));
      } catch (error) {
        if (codeOf(error) === 'session_ended') return finishWithFigures(sessionId);
        if (!mayBeTriedAgain(error)) return refused(error);
      }
    }
    learn({ kind: 'connection', connection: 'lost' });
    notice('network');
  }

  /** The room opens no more: the key was changed, or the page may not use the agent any longer. The grace ends the session. */
  const refused = (error: unknown) => {
    finish(undefined);
    notice(codeOf(error));
  };

  /** One session for what was written or said, however often it takes. */
  async function begin(mode: 'TEXT' | 'VOICE'): Promise<void> {
    const mine = turn;
    const idempotencyKey = randomId();
    let interactionMode = mode;
    const answer = answerOf(deps.challenge);
    learn({ kind: 'starting' });
    for (let attempt = 0; mine === turn; attempt += 1) {
      try {
        const wishes = { ...(await deps.wishes()), interactionMode };
        // Another body under the same key would be refused.
        const key = `${idempotencyKey}-${interactionMode.toLowerCase()}`;
        const challenge = await answer.show();
        if (mine !== turn) return;
        const created = await api.create(wishes, { idempotencyKey: key, challenge });
        if (mine !== turn) return;
        sessionId = created.connection.sessionId;
        learn({ kind: 'created', sessionId, agentWithinSeconds: created.agentWithinSeconds });
        if (interactionMode !== mode) notice('voice_unavailable');
        return await enter(created);
      } catch (error) {
        if (sessionId !== undefined) return rejoin();
        if (codeOf(error) === 'voice_unavailable' && interactionMode === 'VOICE') {
          interactionMode = 'TEXT';
          dropOwnMicrophone();
          continue;
        }
        const isLast = attempt + 1 >= mostAttempts;
        if (!isLast && answer.isWorn(error)) continue;
        if (isLast || !mayBeTriedAgain(error)) return notBegun(error, interactionMode);
        const waitsMs = waitMs(attempt, error, Math.random());
        notice(codeOf(error), { isRetried: true, retryAfterSeconds: Math.ceil(waitsMs / 1_000) });
        await pause(waitsMs);
      }
    }
  }

  const notBegun = (error: unknown, mode: 'TEXT' | 'VOICE') => {
    dropOwnMicrophone();
    learn({ kind: 'notStarted' });
    notice(codeOf(error), { ...askedToWait(error), ...(mode === 'VOICE' && { wasSpoken: true }) });
  };

  const dropOwnMicrophone = () => {
    microphone?.stop();
    microphone = undefined;
    learn({ kind: 'microphone', microphone: 'off' });
    learn({ kind: 'mode', mode: 'text' });
  };

  const start = (mode: 'TEXT' | 'VOICE'): Promise<void> => {
    if (state().phase === 'ended') clear();
    if (isLive(state())) return beginning ?? Promise.resolve();
    beginning = begin(mode).finally(() => {
      beginning = undefined;
    });
    return beginning;
  };

  const clear = () => {
    turn += 1;
    sessionId = undefined;
    void leaveRoom();
    outbox = makeOutbox(learn);
    learn({ kind: 'cleared' });
  };

  async function speak(deviceId?: string): Promise<void> {
    if (microphone) return mute(false);
    if (state().phase === 'ended') clear();
    notice(undefined);
    learn({ kind: 'microphone', microphone: 'asked' });
    try {
      microphone = await deps.microphone(deviceId);
    } catch (error) {
      learn({ kind: 'microphone', microphone: 'off' });
      return notice(codeOfMicrophone(error));
    }
    learn({ kind: 'mode', mode: 'voice' });
    if (room) return publishOrSay(room);
    await start('VOICE');
    // It began in writing meanwhile.
    if (room && state().microphone === 'asked') await publishOrSay(room);
  }

  const publishOrSay = async (joined: HeldRoom) => {
    const published = await bestEffort(
      'the person is told below',
      publish(joined).then(() => true),
    );
    if (published) return;
    dropOwnMicrophone();
    notice('network');
  };

  async function write(): Promise<void> {
    const joined = room;
    dropOwnMicrophone();
    if (!joined) return;
    // The wish first: an agent that sees a microphone go without it waits for the person to come back.
    await bestEffort('a room that is lost has no microphone', joined.wish('text'));
    await bestEffort('a room that is lost has no microphone', joined.dropMicrophone());
  }

  async function mute(muted: boolean): Promise<void> {
    if (!room || !microphone) return;
    await room.setMicrophone(!muted);
    learn({ kind: 'microphone', microphone: muted ? 'muted' : 'on' });
  }

  async function end(): Promise<void> {
    const id = sessionId;
    if (id === undefined) return clear();
    if (state().phase === 'ending') return;
    learn({ kind: 'ending' });
    try {
      finish(await api.end(id));
    } catch (error) {
      if (codeOf(error) === 'session_ended') return finish(undefined);
      if (!mayBeTriedAgain(error)) return refused(error);
      learn({ kind: 'notEnded' });
      notice('network');
      if (!room) void rejoin();
    }
  }

  if (remembered) {
    learn({ kind: 'resumed', sessionId: remembered.sessionId, entries: remembered.entries });
    void rejoin();
  }

  /** The browser knows at once that it is offline; the room notices when nothing has come for a while. */
  const online = (isOnline: boolean) => {
    if (!room || state().phase !== 'talking') return;
    learn({ kind: 'connection', connection: isOnline ? 'connected' : 'reconnecting' });
    if (isOnline) outbox.release();
    else outbox.hold();
  };

  return {
    online,
    say: (text: string) => {
      if (state().phase === 'ended') clear();
      outbox.say(text);
      // After a refusal nothing waits for a press: a text is one.
      if (!isLive(state())) void start('TEXT');
    },
    start: (mode: 'TEXT' | 'VOICE' = 'TEXT') => start(mode),
    speak,
    write,
    mute,
    interrupt: () => void bestEffort('a room that is left says nothing more', room?.interrupt()),
    startSound: async () => {
      await bestEffort('the browser says again that it plays nothing', room?.startSound());
    },
    useMicrophone: (deviceId: string) =>
      bestEffort('the one that is used goes on', room?.useMicrophone(deviceId) ?? Promise.resolve()),
    useSpeaker: (deviceId: string) =>
      bestEffort('the one that is used goes on', room?.useSpeaker(deviceId) ?? Promise.resolve()),
    loudness: () => room?.loudness() ?? { person: 0, agent: 0 },
    end,
    clear,
    rejoin,
    room: () => room,
    dismiss: () => notice(undefined),
  };
}
