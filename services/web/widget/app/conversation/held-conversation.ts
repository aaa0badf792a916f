import { bestEffort } from '../../../client/best-effort.ts';
import { makeOutbox } from '../../../client/outbox.ts';
import {
  type HeldRoom,
  type joinRoom,
  type Microphone,
  Replaced,
  type RoomEvents,
  type takeMicrophone,
} from '../../../client/room-client.ts';
import type { Figures } from '../../../client/shapes.ts';
import { sleep } from '../../../client/sleep.ts';
import type { ErrorCode } from '../../shapes.ts';
import type { Api, Created } from './api.ts';
import { type BeginningParts, begin, type Mode } from './beginning.ts';
import { lastTexts, type Remembered } from './memory.ts';
import { askedToWait, codeOf, codeOfMicrophone, mayBeTriedAgain, waitMs } from './problems.ts';
import { type Fact, isLive, type Notice, type State } from './state.ts';

export interface ConversationDeps extends Pick<BeginningParts, 'wishes' | 'challenge'> {
  api: Api;
  join: typeof joinRoom;
  microphone: typeof takeMicrophone;
  /** Whoever tells the room which of the agent's tools the page answers. */
  onJoined(room: HeldRoom): void;
  learn(fact: Fact): void;
  state(): State;
  pause?(ms: number): Promise<void>;
}

const rejoinDelaysMs = [0, 500, 1_000, 2_000, 4_000, 8_000];

/** One conversation after another: the session, its room and the person's microphone. What happens is told as facts. */
export class HeldConversation {
  readonly #deps: ConversationDeps;
  readonly #learn: (fact: Fact) => void;
  readonly #pause: (ms: number) => Promise<void>;
  #room: HeldRoom | undefined;
  #sessionId: string | undefined;
  #microphone: Microphone | undefined;
  /** What the person chose, for the next time as well. */
  readonly #chosen: { microphone?: string; speaker?: string } = {};
  /** The person has spoken in it: the agent goes on aloud unless it is told that they write. */
  #isSpoken: boolean;
  #beginning: Promise<void> | undefined;
  /** Changes with each conversation: what comes late for another one is not heard. */
  #turn = 0;
  #outbox: ReturnType<typeof makeOutbox>;

  constructor(deps: ConversationDeps, remembered: Remembered | undefined) {
    this.#deps = deps;
    this.#learn = deps.learn;
    this.#pause = deps.pause ?? sleep;
    this.#sessionId = remembered?.sessionId;
    this.#isSpoken = remembered?.wasSpoken ?? false;
    this.#outbox = makeOutbox(deps.learn, remembered ? lastTexts(remembered.entries) : []);
    if (remembered) this.#resume(remembered);
  }

  get room(): HeldRoom | undefined {
    return this.#room;
  }

  say(text: string): void {
    if (this.#state.phase === 'ended') this.clear();
    this.#outbox.say(text);
    // After a refusal nothing waits for a press: a text is one.
    if (!isLive(this.#state)) void this.start('TEXT');
  }

  start(mode: Mode): Promise<void> {
    if (this.#state.phase === 'ended') this.clear();
    if (isLive(this.#state)) return this.#beginning ?? Promise.resolve();
    this.#beginning = this.#begin(mode).finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async speak(): Promise<void> {
    if (this.#microphone) return this.mute(false);
    if (this.#isAsking) return;
    if (this.#state.phase === 'ended') this.clear();
    this.notice(undefined);
    if (!(await this.#takeMicrophone())) return;
    this.#isSpoken = true;
    this.#learn({ kind: 'mode', mode: 'voice' });
    if (this.#room) return this.#publishOrSay(this.#room);
    await this.start('VOICE');
    // It began in writing meanwhile.
    if (this.#room && this.#isAsking) await this.#publishOrSay(this.#room);
  }

  async write(): Promise<void> {
    const joined = this.#room;
    this.#dropOwnMicrophone();
    if (!joined) return;
    // The wish first: an agent that sees a microphone go without it waits for the person to come back.
    await bestEffort('a room that is lost has no microphone', joined.wish('text'));
    await bestEffort('a room that is lost has no microphone', joined.dropMicrophone());
  }

  async mute(muted: boolean): Promise<void> {
    if (!this.#room || !this.#microphone) return;
    await this.#room.setMicrophone(!muted);
    this.#learn({ kind: 'microphone', microphone: muted ? 'muted' : 'on' });
  }

  interrupt(): void {
    this.#learn({ kind: 'stopped' });
    void bestEffort('a room that is left says nothing more', this.#room?.interrupt());
  }

  get chosen(): { microphone?: string; speaker?: string } {
    return this.#chosen;
  }

  async useMicrophone(deviceId: string): Promise<void> {
    this.#chosen.microphone = deviceId;
    await bestEffort('the one that is used goes on', this.#room?.useMicrophone(deviceId));
  }

  async useSpeaker(deviceId: string): Promise<void> {
    this.#chosen.speaker = deviceId;
    await bestEffort('the one that is used goes on', this.#room?.useSpeaker(deviceId));
  }

  async end(): Promise<void> {
    const id = this.#sessionId;
    if (id === undefined) return this.clear();
    if (this.#state.phase === 'ending') return;
    this.#learn({ kind: 'ending' });
    try {
      this.#finish(await this.#deps.api.end(id));
    } catch (error) {
      this.#notEnded(error);
    }
  }

  clear(): void {
    this.#turn += 1;
    this.#sessionId = undefined;
    this.#isSpoken = false;
    void this.#leaveRoom();
    this.#outbox = makeOutbox(this.#learn);
    this.#learn({ kind: 'cleared' });
  }

  async rejoin(): Promise<void> {
    const isMine = this.#sameTurn();
    if (this.#sessionId === undefined) return;
    this.#learn({ kind: 'connection', connection: 'reconnecting' });
    for (const delayMs of rejoinDelaysMs) {
      await this.#pause(delayMs);
      const id = this.#sessionId;
      if (!isMine() || id === undefined) return;
      try {
        const { connection, agentWithinSeconds } = await this.#deps.api.read(id);
        if (!isMine()) return;
        this.#learn({ kind: 'agentWithin', seconds: agentWithinSeconds });
        return await this.#enter(connection);
      } catch (error) {
        if (codeOf(error) === 'session_ended') return this.#finishWithFigures(id);
        if (!mayBeTriedAgain(error)) return this.#refused(error);
      }
    }
    this.#learn({ kind: 'connection', connection: 'lost' });
    this.notice('network');
  }

  /** The browser knows at once that it is offline; the room notices when nothing has come for a while. */
  online(isOnline: boolean): void {
    if (!this.#room || this.#state.phase !== 'talking') return;
    this.#connection(isOnline ? 'connected' : 'reconnecting');
  }

  /** @param code undefined: nothing is said any more */
  notice(code: ErrorCode | undefined, more: Partial<Notice> = {}): void {
    this.#learn({ kind: 'notice', notice: code && { code, isRetried: false, ...more } });
  }

  get #state(): State {
    return this.#deps.state();
  }

  /** The browser asks the person for their microphone, or it is on its way into the room. */
  get #isAsking(): boolean {
    return this.#state.microphone === 'asked';
  }

  /** Whether it is about the same conversation as now. */
  #sameTurn(): () => boolean {
    const mine = this.#turn;
    return () => mine === this.#turn;
  }

  #resume({ sessionId, entries }: Remembered): void {
    this.#learn({ kind: 'resumed', sessionId, entries });
    void this.rejoin();
  }

  async #begin(wanted: Mode): Promise<void> {
    const isMine = this.#sameTurn();
    this.#learn({ kind: 'starting' });
    const begun = await begin(this.#beginningParts(isMine), wanted);
    if (!begun || !isMine()) return;
    if ('refusal' in begun) return this.#notBegun(begun.refusal, begun.mode);
    const { connection, agentWithinSeconds } = begun.created;
    this.#sessionId = connection.sessionId;
    this.#learn({ kind: 'created', sessionId: connection.sessionId, agentWithinSeconds });
    if (begun.mode !== wanted) this.notice('voice_unavailable');
    try {
      await this.#enter(connection);
    } catch {
      if (isMine()) await this.rejoin();
    }
  }

  #beginningParts(isMine: () => boolean): BeginningParts {
    const { api, wishes, challenge } = this.#deps;
    return {
      ...{ api, wishes, challenge, isMine },
      onUnspoken: () => {
        this.#isSpoken = false;
        this.#dropOwnMicrophone();
      },
      untilNext: async (attempt, error) => {
        const waitsMs = waitMs(attempt, error, Math.random());
        this.notice(codeOf(error), { isRetried: true, retryAfterSeconds: Math.ceil(waitsMs / 1_000) });
        await this.#pause(waitsMs);
      },
    };
  }

  #notBegun(error: unknown, mode: Mode): void {
    this.#dropOwnMicrophone();
    this.#learn({ kind: 'notStarted' });
    this.notice(codeOf(error), { ...askedToWait(error), ...(mode === 'VOICE' && { wasSpoken: true }) });
  }

  async #enter(connection: Created['connection']): Promise<void> {
    const isMine = this.#sameTurn();
    let joined: HeldRoom | undefined;
    let isAgentThere = false;
    const agentArrived = () => {
      isAgentThere = true;
      if (isMine() && joined) this.#outbox.open(joined.send);
    };
    try {
      joined = await this.#deps.join(connection, { ...this.#roomEvents(isMine), agentArrived });
    } catch (error) {
      if (error instanceof Replaced && isMine()) return this.#lost('replaced');
      throw error;
    }
    if (!isMine()) return joined.leave();
    this.#room = joined;
    if (isAgentThere) this.#outbox.open(joined.send);
    this.#deps.onJoined(joined);
    if (this.#chosen.speaker !== undefined)
      void bestEffort('the system has one that is heard', joined.useSpeaker(this.#chosen.speaker));
    await this.#goOnSpeaking(joined);
  }

  /** As the person wants it, who may have lost their microphone with the room, or with the page. */
  async #goOnSpeaking(joined: HeldRoom): Promise<void> {
    const isLost = this.#state.mode === 'voice' && this.#state.microphone === 'off';
    if (isLost) await this.#takeMicrophone();
    await this.#publishOrSay(joined);
    if (!this.#isSpoken || this.#microphone || this.#isAsking) return;
    this.#learn({ kind: 'mode', mode: 'text' });
    await bestEffort('a room that is lost is joined again', joined.wish('text'));
  }

  /** What is sent while no agent is there reaches nobody: texts wait for it, and the last go out again to the next one (`agentArrived`). */
  #roomEvents(isMine: () => boolean): Omit<RoomEvents, 'agentArrived'> {
    const learn = (fact: Fact) => {
      if (isMine()) this.#learn(fact);
    };
    return {
      connection: (connection) => isMine() && this.#connection(connection),
      agentState: (state) => learn({ kind: 'agent', state }),
      agentMode: (mode) => isMine() && this.#agentMode(mode),
      sound: (isBlocked) => learn({ kind: 'sound', isBlocked }),
      replyBegan: (id) => learn({ kind: 'replyBegan', id }),
      replyGrew: (id, chunk) => learn({ kind: 'replyGrew', id, chunk }),
      replyEnded: (id, whole) => learn({ kind: 'replyEnded', id, whole }),
      heard: (id, text) => learn({ kind: 'heard', id, text }),
      lost: (why) => isMine() && this.#lost(why),
    };
  }

  #connection(connection: Parameters<RoomEvents['connection']>[0]): void {
    this.#learn({ kind: 'connection', connection });
    if (connection === 'connected') this.#outbox.release();
    else this.#outbox.hold();
  }

  #lost(why?: 'replaced'): void {
    void this.#leaveRoom();
    if (this.#state.phase === 'ending') return;
    if (why === undefined) return void this.rejoin();
    this.#learn({ kind: 'mode', mode: 'text' });
    this.#learn({ kind: 'connection', connection: 'elsewhere' });
    this.notice('elsewhere');
  }

  /** What the agent says of how the conversation is held. */
  #agentMode(mode: string): void {
    if (mode !== 'unavailable' || this.#state.mode !== 'voice') return;
    this.notice('voice_unavailable');
    void this.write();
  }

  /** False where the person, their browser or their system has none for us: they are told; or where they chose to write meanwhile. */
  async #takeMicrophone(): Promise<boolean> {
    this.#learn({ kind: 'microphone', microphone: 'asked' });
    try {
      const given = await this.#deps.microphone(this.#chosen.microphone);
      if (!this.#isAsking) {
        given.stop();
        return false;
      }
      this.#microphone = given;
      return true;
    } catch (error) {
      this.#learn({ kind: 'microphone', microphone: 'off' });
      this.notice(codeOfMicrophone(error));
      return false;
    }
  }

  async #publish(joined: HeldRoom, microphone: Microphone): Promise<void> {
    await joined.publish(microphone);
    await joined.wish('voice');
    this.#learn({ kind: 'microphone', microphone: 'on' });
  }

  async #publishOrSay(joined: HeldRoom): Promise<void> {
    if (!this.#microphone) return;
    const published = await bestEffort(
      'the person is told below',
      this.#publish(joined, this.#microphone).then(() => true),
    );
    if (published) return;
    this.#dropOwnMicrophone();
    this.notice('network');
  }

  #dropOwnMicrophone(): void {
    this.#microphone?.stop();
    this.#microphone = undefined;
    this.#learn({ kind: 'microphone', microphone: 'off' });
    this.#learn({ kind: 'mode', mode: 'text' });
  }

  async #leaveRoom(): Promise<void> {
    this.#outbox.close();
    const left = this.#room;
    this.#room = undefined;
    if (this.#microphone) this.#learn({ kind: 'microphone', microphone: 'off' });
    this.#microphone?.stop();
    this.#microphone = undefined;
    await bestEffort('a room that is lost is left all the same', left?.leave());
  }

  #finish(figures: Figures | undefined): void {
    this.#turn += 1;
    this.#sessionId = undefined;
    void this.#leaveRoom();
    this.#learn({ kind: 'ended', figures });
  }

  async #finishWithFigures(id: string): Promise<void> {
    this.#finish(await bestEffort('without its figures it is over all the same', this.#deps.api.end(id)));
    const isUnsent = this.#state.entries.some((entry) => entry.from === 'person' && entry.delivery === 'failed');
    if (isUnsent) this.notice('session_ended');
  }

  #notEnded(error: unknown): void {
    if (codeOf(error) === 'session_ended') return this.#finish(undefined);
    if (!mayBeTriedAgain(error)) return this.#refused(error);
    this.#learn({ kind: 'notEnded' });
    this.notice('network');
    if (!this.#room) void this.rejoin();
  }

  /** The room opens no more: the key was changed, or the page may not use the agent any longer. The grace ends the session. */
  #refused(error: unknown): void {
    this.#finish(undefined);
    this.notice(codeOf(error));
  }
}
