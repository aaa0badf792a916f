import {
  ConnectionState,
  type RemoteParticipant,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  TrackSource,
} from '@livekit/rtc-node';
import type { InteractionMode } from '../../contract/session.ts';
import { agentIdentity, type Rooms } from '../../core/rooms/rooms.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import type { PersonQuestion } from '../tools/client.ts';
import { type Arrival, wordsArrived } from './arrival.ts';
import { askPerson } from './ask-person.ts';
import { connect } from './connect.ts';
import { type Flood, FloodGuard } from './floods.ts';
import { hearTexts, type IncomingText } from './hearing.ts';
import { heldReply, type ReplyStream, untilLeaveIsKnown } from './held-reply.ts';
import { Microphone } from './microphone.ts';
import { isLeg, isPerson, isPresent, type PersonsListener, watchPersons } from './persons.ts';
import { Speaker } from './speaker.ts';
import { Taking } from './taking.ts';

export interface RoomListener extends PersonsListener {
  onText(text: IncomingText): void;
  /** A person has a microphone; it is received only when somebody listens to it. */
  onMicrophone(microphone: Microphone): void;
  /** A key of a telephone: 0 to 9, *, # or A to D. */
  onKey(key: string): void;
  /** The person wants the agent to stop speaking, by a button. */
  onInterruptWanted(): void;
  /** The person's client says whether the conversation is to be written or spoken; undefined: no longer. */
  onModeWanted(mode: InteractionMode | undefined): void;
  /** A participant sends so much that it is sent out of the room. */
  onFlood(flood: Flood): void;
  /** The connection is being made again; nothing that is said now arrives. */
  onInterrupted(): void;
  onRestored(): void;
  /** This connection is over: another took our place, the room was deleted, or the room server does not take us back. */
  onGone(): void;
}

/** `unavailable`: it was to be spoken, and cannot be. */
export type ShownMode = 'text' | 'voice' | 'unavailable';

export type AgentState = 'initializing' | 'listening' | 'thinking' | 'speaking';

/** What a person was heard to say. The same `segmentId` tells it again, better known. */
export interface HeardWords {
  identity: string;
  trackSid: string;
  segmentId: string;
  text: string;
  isFinal: boolean;
}

/** The agent's method, and an attribute of the person's: each call and each other value is a wish that the agent stop (docs/call/room.md). */
const interruptName = 'parley.interrupt';
/** Of the person: how the conversation is to be held; of the agent: how it is (docs/call/room.md). */
const modeAttribute = 'parley.mode';
const transcriptionTopic = 'lk.transcription';
const recreateEveryMs = 200;
/**
 * Each change of state is a message from the server to everybody in the room, and on its way it stands before the words:
 * with a model that answers at once, telling "thinking" and "speaking" cost a quarter of the time to the first word (bench, text-latency).
 */
const stateSettlesMs = 50;
/** Keys by the events of RFC 4733, section 3.2. */
const keyCodes = '0123456789*#';
/** A bridge takes 250 ms to sound one (livekit/media-sdk, `eventDur`). */
const betweenKeysMs = 400;
/** What is heard before a conversation is attached to a warm room. */
const maxHeldTexts = 64;

/**
 * The agent's connection to one room: joins, hears texts in the order in which they were begun, speaks, and survives a restart
 * of the room server by creating the room again (the server creates none by itself). What comes before a listener is
 * attached is kept and given to it.
 */
export class AgentRoom {
  readonly name: string;
  readonly #room = new Room();
  readonly #rooms: Rooms;
  #listener: RoomListener | undefined;
  #held: ((listener: RoomListener) => void)[] = [];
  #recreation: NodeJS.Timeout | undefined;
  #state: AgentState | undefined;
  #told: AgentState | undefined;
  #settling: NodeJS.Timeout | undefined;
  #leaving = false;
  #isDistrusted = false;
  readonly #taking = new Taking();
  readonly #floods = new FloodGuard((flood) => this.#sendOut(flood));
  #speaker: Promise<Speaker> | undefined;
  readonly #microphones = new Map<string, Microphone>();
  readonly #disturbed = Promise.withResolvers<void>();
  /** An earlier connection of the agent's is gone, which not everybody in the room knows yet: which of them it was. */
  #placeTaken: symbol | undefined;

  private constructor(name: string, rooms: Rooms) {
    this.name = name;
    this.#rooms = rooms;
  }

  /**
   * Creates the room if need be and joins it; resolves when a text sent to the room would be heard. `takesPlace`: of another connection
   * of the agent's, which may just have been sent out.
   */
  static async join(name: string, rooms: Rooms, { takesPlace = false } = {}): Promise<AgentRoom> {
    const agentRoom = new AgentRoom(name, rooms);
    await rooms.create(name);
    agentRoom.#watch();
    try {
      await connect(agentRoom.#room, rooms.url, rooms.agentToken(name));
    } catch (error) {
      await agentRoom.leave();
      throw error;
    }
    agentRoom.#hearCalls();
    agentRoom.#noticePersons();
    if (takesPlace) void agentRoom.#takePlace();
    return agentRoom;
  }

  /** From now on `listener` is told, first what was kept for it. */
  attach(listener: RoomListener): void {
    this.#listener = listener;
    const held = this.#held;
    this.#held = [];
    for (const tell of held) tell(listener);
  }

  /** It hears, and no more words are given to it: those that it did not take would be said twice. */
  distrust(): void {
    this.#isDistrusted = true;
  }

  /** Nobody is told any more: another connection takes this one's place. */
  detach(): void {
    this.#leaving = true;
    this.#listener = undefined;
    this.#held = [];
  }

  /** Whether words may be given to it. */
  get connected(): boolean {
    if (this.#isDistrusted) return false;
    return this.#room.isConnected && this.#room.connectionState === ConnectionState.CONN_CONNECTED;
  }

  /** Resolves when this connection is over or had to be made again, for whatever reason. */
  get disturbed(): Promise<void> {
    return this.#disturbed.promise;
  }

  /** This participant; another sid after every join. */
  get self(): { sid: string; identity: string } {
    const { sid = '', identity = agentIdentity } = this.#room.localParticipant ?? {};
    return { sid, identity };
  }

  /** Persons who hear and are heard, as far as this connection knows (it learns late of persons who publish nothing). */
  persons(): RemoteParticipant[] {
    return [...this.#room.remoteParticipants.values()].filter(isPresent);
  }

  /** Whether this person is put through, if they are on the telephone. */
  isOnTelephone(identity: string): boolean {
    return this.persons().some((person) => person.identity === identity && isLeg(person));
  }

  /** Presses keys of the telephone, one after the other, as a person would. @throws when the room does not take them */
  async pressKeys(keys: string): Promise<void> {
    for (const key of keys) {
      await this.#room.localParticipant?.publishDtmf(keyCodes.indexOf(key), key);
      await sleep(betweenKeysMs);
    }
  }

  /** Resolves to true when this person has left, to false when they are still there after `withinMs`. */
  leavesWithin(identity: string, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasLeft: boolean) => {
        clearTimeout(timer);
        this.#room.off(RoomEvent.ParticipantDisconnected, onLeft);
        resolve(hasLeft);
      };
      const onLeft = (who: RemoteParticipant) => {
        if (who.identity === identity) settle(true);
      };
      const timer = setTimeout(() => settle(false), withinMs);
      this.#room.on(RoomEvent.ParticipantDisconnected, onLeft);
      if (!this.#room.remoteParticipants.has(identity)) settle(true);
    });
  }

  /** Begins one reply: a text stream whose chunks arrive as they are written. Each step rejects when the room does not take it in time. */
  async openReply(segmentId: string, { isFiller }: { isFiller: boolean }): Promise<ReplyStream> {
    const participant = this.#room.localParticipant;
    if (!participant) throw new Error('the agent is not in the room');
    const inTime = <Result>(work: Promise<Result>) => this.#taking.inTime(work);
    const options = {
      topic: transcriptionTopic,
      attributes: {
        ...{ 'lk.segment_id': segmentId, 'lk.transcription_final': 'false' },
        ...(isFiller && { 'parley.line': 'filler' }),
      },
    };
    const open = async (): Promise<ReplyStream> => {
      const writer = await inTime(participant.streamText(options));
      return { write: (text) => inTime(writer.write(text)), close: () => inTime(writer.close()) };
    };
    const mayStayOpen = () => this.#placeTaken === undefined;
    if (mayStayOpen()) return open();
    const whole = async (text: string) => void (await inTime(participant.sendText(text, options)));
    return heldReply({ whole, open }, mayStayOpen);
  }

  /** Asks this person's client, and nobody else's. @throws PersonFault */
  askPerson(identity: string, question: PersonQuestion): Promise<string> {
    return askPerson(this.#room, identity, question);
  }

  /** Whether this person's client has all that was written to it, as far as can be told within `withinMs`. */
  wordsArrived(identity: string, withinMs: number): Promise<Arrival> {
    return wordsArrived(this.#room, identity, withinMs);
  }

  /** The agent's voice, which is published with the first call. */
  speaker(): Promise<Speaker> {
    this.#speaker ??= Speaker.publish(this.#room).catch((error: unknown) => {
      this.#speaker = undefined;
      throw error;
    });
    return this.#speaker;
  }

  /** A person's own words, as they were recognised, under the person's name. Best effort: they are captions. */
  async showHeard({ identity, trackSid, segmentId, text, isFinal }: HeardWords): Promise<void> {
    const writer = await this.#room.localParticipant?.streamText({
      topic: transcriptionTopic,
      senderIdentity: identity,
      attributes: {
        'lk.segment_id': segmentId,
        'lk.transcription_final': String(isFinal),
        'lk.transcribed_track_id': trackSid,
      },
    });
    await writer?.write(text);
    await writer?.close();
  }

  /** The first state is told at once, later ones when they last: what a person could not see is told to nobody. */
  showState(state: AgentState): void {
    this.#state = state;
    if (this.#told === undefined) this.#tellState();
    else this.#settling ??= setTimeout(() => this.#tellState(), stateSettlesMs);
  }

  /** Tells how the conversation is held from now on. */
  showMode(mode: ShownMode): void {
    const told = this.#room.localParticipant?.setAttributes({ [modeAttribute]: mode });
    void bestEffort('a client that asked for it sees by the words which mode is in force', told);
  }

  /** Leaves; the room stays. */
  async leave(): Promise<void> {
    this.#leaving = true;
    clearTimeout(this.#recreation);
    clearTimeout(this.#settling);
    for (const microphone of this.#microphones.values()) microphone.onGone();
    await bestEffort('the connection may be gone already', this.#room.disconnect());
    const closed = this.#speaker?.then((speaker) => speaker.close());
    await bestEffort('its track may never have been published', closed);
  }

  /** Until everybody knows that an earlier connection of the agent's is gone, no reply is left open. */
  async #takePlace(): Promise<void> {
    const taken = Symbol('a place');
    this.#placeTaken = taken;
    await untilLeaveIsKnown({
      everybodyAnswers: (withinMs) => this.#everybodyAnswers(withinMs),
      isOver: () => this.#leaving || this.#placeTaken !== taken,
      now: () => performance.now(),
      sleep,
    });
    if (this.#placeTaken === taken) this.#placeTaken = undefined;
  }

  async #everybodyAnswers(withinMs: number): Promise<boolean> {
    const answers = await Promise.all(this.persons().map(({ identity }) => this.wordsArrived(identity, withinMs)));
    return answers.length > 0 && answers.every((answer) => answer !== 'unknown');
  }

  #watch(): void {
    const room = this.#room;
    this.#floods.watch(room);
    hearTexts(room, this.#floods, (text) => this.#tell((l) => l.onText(text)));
    watchPersons(room, {
      onPersonJoined: (person) => this.#tell((l) => l.onPersonJoined(person)),
      onPersonLeft: (person, agoMs) => this.#tell((l) => l.onPersonLeft(person, agoMs)),
    });
    // Who sets it as they come in is told of with it: nothing changes then.
    room.on(RoomEvent.ParticipantConnected, (who) => isPerson(who) && this.#noticeWish(who));
    room.on(RoomEvent.ParticipantDisconnected, (who) => {
      for (const sid of who.trackPublications.keys()) this.#microphoneGone(sid);
    });
    room.on(RoomEvent.ParticipantAttributesChanged, (changed, who) => {
      if (who.identity === agentIdentity) return;
      if (changed[interruptName]) this.#tell((l) => l.onInterruptWanted());
      if (modeAttribute in changed) this.#tell((l) => l.onModeWanted(modeOf(changed[modeAttribute])));
    });
    room.on(RoomEvent.DtmfReceived, (_code, key, who) => {
      // Of whom the connection does not know it gives nobody, whatever its type says.
      const from: RemoteParticipant | undefined = who;
      if (from && isLeg(from) && isKey(key)) this.#tell((l) => l.onKey(key));
    });
    room.on(RoomEvent.TrackPublished, (publication, who) => this.#noticeMicrophone(publication, who));
    room.on(RoomEvent.TrackSubscribed, (track, { sid }) => this.#microphones.get(sid ?? '')?.onReceived(track));
    room.on(RoomEvent.TrackUnpublished, ({ sid }) => this.#microphoneGone(sid));
    room.on(RoomEvent.Reconnecting, () => {
      this.#disturbed.resolve();
      this.#taking.disturb();
      this.#tell((l) => l.onInterrupted());
      this.#recreate();
    });
    room.on(RoomEvent.Reconnected, () => {
      clearTimeout(this.#recreation);
      // A connection that was made wholly anew has taken its own place.
      void this.#takePlace();
      this.#told = undefined;
      this.#tellState();
      this.#tell((l) => l.onRestored());
    });
    room.on(RoomEvent.Disconnected, () => {
      clearTimeout(this.#recreation);
      this.#disturbed.resolve();
      if (!this.#leaving) this.#tell((l) => l.onGone());
    });
  }

  /** The room server keeps attributes of whoever publishes nothing back, for up to 3 s; a call it passes on at once. */
  #hearCalls(): void {
    this.#room.localParticipant?.registerRpcMethod(interruptName, async ({ callerIdentity }) => {
      if (this.#floods.admit(callerIdentity, 'packets')) this.#tell((l) => l.onInterruptWanted());
      return '';
    });
  }

  #sendOut(flood: Flood): void {
    this.#tell((l) => l.onFlood(flood));
    void bestEffort('the next of the flood asks for it again', this.#rooms.remove(this.name, flood.identity));
  }

  /** What persons wanted, and had, before this connection. */
  #noticePersons(): void {
    for (const person of [...this.#room.remoteParticipants.values()].filter(isPerson)) {
      this.#noticeWish(person);
      for (const publication of person.trackPublications.values()) this.#noticeMicrophone(publication, person);
    }
  }

  #noticeWish({ attributes }: RemoteParticipant): void {
    const wanted = modeOf(attributes[modeAttribute]);
    if (wanted) this.#tell((l) => l.onModeWanted(wanted));
  }

  #noticeMicrophone(publication: RemoteTrackPublication, who: RemoteParticipant | undefined): void {
    const { sid, source } = publication;
    if (!who || !isPerson(who) || !sid || source !== TrackSource.SOURCE_MICROPHONE || this.#microphones.has(sid))
      return;
    const microphone = new Microphone(who.identity, publication);
    this.#microphones.set(sid, microphone);
    this.#tell((l) => l.onMicrophone(microphone));
  }

  #microphoneGone(sid: string | undefined): void {
    this.#microphones.get(sid ?? '')?.onGone();
    this.#microphones.delete(sid ?? '');
  }

  #tellState(): void {
    this.#settling = undefined;
    if (this.#leaving || this.#told === this.#state || this.#state === undefined) return;
    this.#told = this.#state;
    const told = this.#room.localParticipant?.setAttributes({ 'lk.agent.state': this.#state });
    void bestEffort('a state is shown by clients only, and the next one is told again', told);
  }

  #tell(tell: (listener: RoomListener) => void): void {
    if (this.#leaving) return;
    if (this.#listener) return tell(this.#listener);
    if (this.#held.length < maxHeldTexts) this.#held.push(tell);
  }

  /** A room server that came back knows no rooms, and it creates none: until it takes us back, the room is made again and again. */
  #recreate(): void {
    clearTimeout(this.#recreation);
    const attempt = async () => {
      await bestEffort('the room server may still be away: it is asked again', this.#rooms.create(this.name));
      if (!this.#leaving && !this.connected) this.#recreation = setTimeout(attempt, recreateEveryMs);
    };
    void attempt();
  }
}

const isKey = (key: string): boolean => /^[0-9*#A-D]$/.test(key);

/** What a person's client may say; anything else says nothing. */
const modeOf = (wanted: string | undefined): InteractionMode | undefined =>
  wanted === 'text' || wanted === 'voice' ? (wanted === 'text' ? 'TEXT' : 'VOICE') : undefined;
