/** Callers with microphones, in a process of their own, which is the clock of all that they measure. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import { microphoneRate, resampled, spoken } from '../../support/people/speech-sound.ts';
import { loudMsIn, tone, toneRate } from '../providers/tone.ts';
import { serve } from '../remote.ts';
import { Caller } from './caller.ts';
import { type DoorAddress, doorOf, type Opened } from './doors.ts';
import { type Taken, type Turns, takeTurns, when } from './turns.ts';

/** A turn without an answer by then is a missed one. */
const answerWithinMs = 4_000;
/** Sound after a shorter gap is the same stretch: the jitter buffer may have run empty. */
const withinStretchMs = 150;

const phrases = {
  question: 'I would like to know when you are open on Sunday.',
  interruption: 'Excuse me, I would like to ask something else.',
  // What it says is not understood; it is as short as an "mm-hm".
  backChannel: 'mm hm',
};
const backChannelMs = 300;
const known = new Map<string, Promise<Int16Array>>();

async function soundOf(phrase: keyof typeof phrases): Promise<Int16Array> {
  const samples = known.get(phrase) ?? spoken(phrases[phrase]);
  known.set(phrase, samples);
  const whole = await samples;
  return phrase === 'backChannel' ? whole.slice(0, backChannelMs * 16) : whole;
}

interface Call {
  caller: Caller;
  session: Opened;
}

let calls: Call[] = [];

async function enter({ door, count }: { door: DoorAddress; count: number }): Promise<{ refused: number }> {
  const open = doorOf(door);
  let refused = 0;
  for (let opened = 0; opened < count; opened += 1) {
    const session = await open();
    refused += session.refused;
    calls.push({ caller: await Caller.join(session), session });
  }
  return { refused };
}

const talk = async (turns: Turns): Promise<Taken> => {
  const question = await soundOf('question');
  return takeTurns(calls, turns, ({ caller }) => takeTurn(caller, question));
};

async function takeTurn(caller: Caller, question: Int16Array): Promise<number | undefined> {
  const { until } = await caller.say(question);
  const heard = await when(() => caller.recording.firstSoundAfter(until), answerWithinMs);
  return heard && heard - until;
}

export interface ShortCalls {
  door: DoorAddress;
  calls: number;
  atOnce: number;
}

export interface Called {
  answered: number;
  /** Calls that did not come about, or whose question was not answered. */
  missed: number;
}

/** Calls of one question each: open, join, ask, hear the answer out, leave, end. */
async function shortCalls({ door, calls: count, atOnce }: ShortCalls): Promise<Called> {
  const open = doorOf(door);
  const question = await soundOf('question');
  const called: Called = { answered: 0, missed: 0 };
  let left = count;
  const place = async () => {
    while (left > 0) {
      left -= 1;
      const latency = await oneCall(open, question).catch((error: unknown) => void say(`a call failed: ${error}`));
      if (latency === undefined) called.missed += 1;
      else called.answered += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return called;
}

/** How long its one answer took; undefined without one. */
async function oneCall(open: () => Promise<Opened>, question: Int16Array): Promise<number | undefined> {
  const session = await open();
  const caller = await Caller.join(session);
  const latency = await takeTurn(caller, question);
  await hearOut(caller, silenceMs, answerWithinMs);
  await caller.leave();
  await session.end();
  return latency;
}

const say = (line: string) => process.stderr.write(`${line}\n`);

export interface Interrupted {
  /** From the first sound of the person to the last of the agent. */
  silenceAfterMs: number[];
  /** Trials after which the agent went on talking. */
  ignored: number;
}

/** A silence that is meant: longer than any gap on the way. */
const silenceMs = 400;
const spokenForMs = 1_500;
/** What an "mm-hm" costs is heard by then. */
const listenedForMs = 2_000;
/** An agent that is about to finish falls silent by itself, which is not to be told from an answer that was lost. */
const leftToSayMs = 3_000;
const mostQuestions = 10;
/** No pause that an "mm-hm" costs is as long. */
const endedAfterMs = 1_000;

/** Each caller speaks over the agent, `trials` times, when it has been speaking for a while. */
async function interrupt({ trials }: { trials: number }): Promise<Interrupted> {
  const sound = await soundOf('interruption');
  const interrupted: Interrupted = { silenceAfterMs: [], ignored: 0 };
  const one = async ({ caller }: Call) => {
    for (let trial = 0; trial < trials; trial += 1) {
      await hearTheAgent(caller);
      const { from } = await caller.say(sound);
      const silentAt = await when(() => caller.recording.silentSince(from, silenceMs), 3_000);
      if (silentAt === undefined) interrupted.ignored += 1;
      else interrupted.silenceAfterMs.push(silentAt - from);
    }
  };
  await Promise.all(calls.map(one));
  return interrupted;
}

export interface BackChannels {
  /** The longest silence that each cost the listener. */
  pausesMs: number[];
  /** The agent said nothing more. */
  silenced: number;
  /** Questions that were asked to make the agent speak. */
  asked: number;
}

/** Each caller makes a short sound of listening while the agent speaks; `replyMs` is how long each of its answers sounds. */
async function listenAlong({ trials, replyMs }: { trials: number; replyMs: number }): Promise<BackChannels> {
  const sound = await soundOf('backChannel');
  const results: BackChannels = { pausesMs: [], silenced: 0, asked: 0 };
  const one = async ({ caller }: Call) => {
    let repliedAt = Number.NEGATIVE_INFINITY;
    for (let trial = 0; trial < trials; trial += 1) {
      const needsMs = spokenForMs + backChannelMs + listenedForMs + leftToSayMs;
      if (performance.now() - repliedAt > replyMs - needsMs) {
        await hearOut(caller, endedAfterMs, 2 * replyMs);
        const asked = await hearTheAgent(caller);
        results.asked += asked;
        repliedAt = performance.now();
      }
      const again = await hearTheAgent(caller);
      results.asked += again;
      const { from, until } = await caller.say(sound);
      await pause(listenedForMs);
      if (caller.recording.firstSoundAfter(until + 1_000) === undefined) results.silenced += 1;
      else results.pausesMs.push(caller.recording.longestGapMs(from));
    }
  };
  await Promise.all(calls.map(one));
  return results;
}

/** Waits until the agent has been silent for so long. */
const hearOut = ({ recording }: Caller, silentMs: number, withinMs: number) =>
  when(() => recording.loudForMs(silentMs) === 0 || undefined, withinMs);

/** Waits until the agent has been speaking for a while; asks when it is silent. Gives how often it was asked. */
async function hearTheAgent(caller: Caller): Promise<number> {
  const { recording } = caller;
  const question = await soundOf('question');
  for (let asked = 0; asked < mostQuestions; asked += 1) {
    const speaks = await when(() => recording.loudForMs(withinStretchMs) >= spokenForMs || undefined, 2 * spokenForMs);
    if (speaks) return asked;
    await caller.say(question);
    await when(() => recording.loudForMs(withinStretchMs) || undefined, answerWithinMs);
  }
  throw new Error('the agent does not speak');
}

export interface Survived {
  /** From the kill to the first sound after it, and the silence between the two sounds. */
  soundAgainMs: number;
  silenceMs: number;
}

/** Kills the process whose agent speaks to the first caller, and waits for the next sound. */
async function killSpeaker({ pid }: { pid: number }): Promise<Survived | null> {
  const caller = calls[0]?.caller;
  if (!caller) throw new Error('nobody is in a call');
  await hearTheAgent(caller);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  return await soundAgain(caller, killedAt);
}

export interface SpokenAcross {
  /** How much was loud of what was said from the kill on. */
  saidMs: number;
  answered: boolean;
}

const heardBeforeMs = 700;

/** Kills the process that listens to the first caller, who is in the middle of a question, and waits for an answer. */
async function killListener({ pid }: { pid: number }): Promise<SpokenAcross> {
  const caller = calls[0]?.caller;
  if (!caller) throw new Error('nobody is in a call');
  const question = await soundOf('question');
  const saying = caller.say(question);
  await pause(heardBeforeMs);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  const { from, until } = await saying;
  const rest = question.subarray(Math.round((killedAt - from) * (microphoneRate / 1_000)));
  const heardAt = await when(() => caller.recording.firstSoundAfter(until), 30_000);
  return { saidMs: loudMsIn(rest, microphoneRate), answered: heardAt !== undefined };
}

async function soundAgain({ recording }: Caller, killedAt: number): Promise<Survived | null> {
  const silentAt = await when(() => recording.silentSince(killedAt, withinStretchMs), 5_000);
  const heardAt = silentAt && (await when(() => recording.firstSoundAfter(silentAt), 30_000));
  if (!silentAt || !heardAt) return null;
  return { soundAgainMs: heardAt - killedAt, silenceMs: heardAt - silentAt };
}

/** How long sound takes from one microphone through the room server to another client's ear, without any agent. */
async function transport({ door, bursts }: { door: RoomAddress; bursts: number }): Promise<{ legMs: number[] }> {
  const name = `bench-${randomBytes(9).toString('base64url')}`;
  const rooms = new RoomServiceClient(door.wsUrl.replace(/^ws/, 'http'), door.apiKey, door.apiSecret);
  await rooms.createRoom({ name, emptyTimeout: 60 });
  const join = async (identity: string) => {
    const token = new AccessToken(door.apiKey, door.apiSecret, { identity, ttl: 600 });
    token.addGrant({ roomJoin: true, room: name, canPublish: true, canSubscribe: true });
    return Caller.join({ wsUrl: door.wsUrl, token: await token.toJwt() });
  };
  const joining = join('listener');
  const [speaker, listener] = [await join('speaker'), await joining];
  const burst = resampled(new Int16Array(Uint8Array.from(tone(200)).buffer), toneRate, 16_000);
  const legMs: number[] = [];
  for (let count = 0; count < bursts; count += 1) {
    await pause(400);
    const { from } = await speaker.say(burst);
    const heard = await when(() => listener.recording.firstSoundAfter(from), 1_000);
    if (heard) legMs.push(heard - from);
  }
  await Promise.all([speaker.leave(), listener.leave()]);
  await rooms.deleteRoom(name);
  return { legMs };
}

export interface RoomAddress {
  wsUrl: string;
  apiKey: string;
  apiSecret: string;
}

async function leaveAll(): Promise<void> {
  const leaving = calls;
  calls = [];
  for (const { caller, session } of leaving) {
    await caller.leave().catch(() => undefined);
    await session.end().catch(() => undefined);
  }
}

export const commands = {
  enter,
  takeTurns: talk,
  shortCalls,
  interrupt,
  listenAlong,
  killSpeaker,
  killListener,
  transport,
  leaveAll,
};

serve(commands);
