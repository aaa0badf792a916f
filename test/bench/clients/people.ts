/** Persons in rooms, in a process of their own. */
import { serve } from '../remote.ts';
import { type DoorAddress, doorOf, type Opened } from './doors.ts';
import { Talker } from './talker.ts';

/** A conversation is given up after this. */
const answerWithinMs = 15_000;

export interface FirstTexts {
  door: DoorAddress;
  conversations: number;
  /** Conversations under way at the same time. */
  atOnce: number;
  /** How long each place rests before its next conversation. */
  restMs: number;
  /** When the first text is written: in the tick of joining, or once the agent says that it listens. */
  write: 'at once' | 'when the agent listens';
}

export interface FirstText {
  /** From the beginning of the request for a conversation, in milliseconds. */
  openedMs: number;
  joinedMs: number;
  /** When the agent was seen to listen; ours is there when the request is answered. */
  agentReadyMs: number;
  /** Undefined: no answer came. */
  answeredMs: number | undefined;
  refused: number;
}

/** Conversations of one text each: open, join, write, be answered, leave, end. */
async function firstTexts({ door, conversations, atOnce, restMs, write }: FirstTexts): Promise<FirstText[]> {
  const open = doorOf(door);
  const results: FirstText[] = [];
  let left = conversations;
  const place = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await firstText(open, write));
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return results;
}

async function firstText(open: () => Promise<Opened>, write: FirstTexts['write']): Promise<FirstText> {
  const began = performance.now();
  const session = await open();
  const openedMs = performance.now() - began;
  const talker = await Talker.join(session);
  const joinedMs = performance.now() - began;
  if (write === 'when the agent listens') await talker.agentListens(answerWithinMs);
  const agentReadyMs = write === 'at once' ? openedMs : performance.now() - began;
  const answeredAt = await talker.ask(`first ${nextNumber()}`, answerWithinMs);
  const answeredMs = answeredAt === undefined ? undefined : answeredAt - began;
  await talker.leave();
  await session.end();
  return { openedMs, joinedMs, agentReadyMs, answeredMs, refused: session.refused };
}

let lastNumber = 0;
function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

interface Present {
  talker: Talker;
  session: Opened;
}

let present: Present[] = [];

export interface Entering {
  door: DoorAddress;
  count: number;
  atOnce: number;
}

export interface Entered {
  present: number;
  /** From the beginning until everybody was in and had been answered once. */
  tookMs: number;
  /** Each person's own time from asking for a conversation to the first answer. */
  answeredMs: number[];
  /** First texts that were not answered, though the agent was given time to listen. */
  lost: number;
  refused: number;
}

/** Persons who come in and stay: each has had one text answered when this resolves. */
async function enter({ door, count, atOnce }: Entering): Promise<Entered> {
  const open = doorOf(door);
  const began = performance.now();
  const entered: Entered = { present: 0, tookMs: 0, answeredMs: [], lost: 0, refused: 0 };
  let left = count;
  const place = async () => {
    while (left > 0) {
      left -= 1;
      await enterOne(open, door, entered);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, place));
  return { ...entered, present: present.length, tookMs: performance.now() - began };
}

async function enterOne(open: () => Promise<Opened>, door: DoorAddress, entered: Entered): Promise<void> {
  const began = performance.now();
  const session = await open();
  const talker = await Talker.join(session);
  present.push({ talker, session });
  if (door.kind === 'stock') await talker.agentListens(answerWithinMs);
  const answeredAt = await talker.ask(`hello ${nextNumber()}`, answerWithinMs);
  entered.refused += session.refused;
  if (answeredAt === undefined) entered.lost += 1;
  else entered.answeredMs.push(answeredAt - began);
}

export interface Talking {
  /** The first so many of those present. */
  talkers: number;
  /** Texts of each. */
  texts: number;
  /** Pause between the beginnings of two texts of one person; persons take turns within it. */
  everyMs: number;
}

export interface Talked {
  /** From the moment a text was due to the first piece of its reply. */
  latenciesMs: number[];
  lost: number;
}

/** Texts at a fixed rate, whether or not earlier ones were answered. */
async function talk({ talkers, texts, everyMs }: Talking): Promise<Talked> {
  const began = performance.now() + 100;
  const talked: Talked = { latenciesMs: [], lost: 0 };
  const one = async ({ talker }: Present, index: number) => {
    for (let text = 0; text < texts; text += 1) {
      const due = began + (text + index / talkers) * everyMs;
      await until(due);
      const answeredAt = await talker.ask(`text ${nextNumber()}`, answerWithinMs);
      if (answeredAt === undefined) talked.lost += 1;
      else talked.latenciesMs.push(answeredAt - due);
    }
  };
  await Promise.all(present.slice(0, talkers).map(one));
  return talked;
}

/** Timers of this process may be a millisecond late; so much is waited away, because the text is due at that very moment. */
async function until(due: number): Promise<void> {
  const early = due - performance.now();
  if (early > 2) await new Promise((resolve) => setTimeout(resolve, early - 1.5));
  while (performance.now() < due) await new Promise(setImmediate);
}

async function leaveAll(): Promise<void> {
  const leaving = present;
  present = [];
  for (const { talker, session } of leaving) {
    await talker.leave().catch(() => undefined);
    await session.end().catch(() => undefined);
  }
}

export const commands = { firstTexts, enter, talk, leaveAll };

serve(commands);
