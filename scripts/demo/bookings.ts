import { randomInt } from 'node:crypto';
import { understandDay } from './dates.ts';
import { understandTime } from './times.ts';

/** A demo answer: what an HTTP endpoint of the restaurant would send. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export interface BookingBook {
  book(request: unknown, idempotencyKey: string | undefined): Answer;
}

interface Wish {
  name: string;
  /** 2026-11-24 */
  date: string;
  /** 19:30 */
  time: string;
  guests: number;
}

const timezone = 'Europe/Berlin';
const firstTable = '12:00';
const lastTable = '21:30';
const largestParty = 12;
const remembered = 1_000;

/** Keeps bookings in memory. The same idempotency key gives the same answer, and no second booking. */
export function openBookingBook(now: () => Date = () => new Date()): BookingBook {
  const answers = new Map<string, { request: string; answer: Answer }>();
  return {
    book(request, key) {
      const text = JSON.stringify(request);
      const former = key === undefined ? undefined : answers.get(key);
      if (former) return former.request === text ? former.answer : refusal('This key was used for another booking.');
      const answer = answerTo(request, now());
      if (key !== undefined) remember(answers, key, { request: text, answer });
      return answer;
    },
  };
}

function remember<Value>(answers: Map<string, Value>, key: string, value: Value): void {
  answers.set(key, value);
  const [oldest] = answers.keys();
  if (answers.size > remembered && oldest !== undefined) answers.delete(oldest);
}

function answerTo(request: unknown, now: Date): Answer {
  const wish = readWish(request, now);
  if (typeof wish === 'string') return refusal(wish);
  const problem = impossible(wish, now);
  if (problem) return refusal(problem);
  return { status: 201, body: { reference: newReference(), ...wish } };
}

const refusal = (message: string): Answer => ({ status: 422, body: { message } });

/** The wish, its day and time understood, or what is wrong with it. */
function readWish(request: unknown, now: Date): Wish | string {
  if (typeof request !== 'object' || request === null) return 'A booking needs name, date, time and guests.';
  const { name, date, time, guests } = request as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '') return 'A booking needs a name.';
  const day = understandDay(String(date), localTime(now).slice(0, 10));
  if (!day) return `There is no day "${date}"; say "tomorrow", "Friday" or 2026-11-24.`;
  const clock = understandTime(String(time));
  if (!clock) return `There is no time "${time}"; say "7 pm" or 19:30.`;
  const people = Number(guests);
  if (!Number.isInteger(people) || people < 1) return 'A booking needs the number of guests, at least 1.';
  return { name: name.trim(), date: day, time: clock, guests: people };
}

function impossible({ date, time, guests }: Wish, now: Date): string | undefined {
  if (guests > largestParty) return `We seat at most ${largestParty} people at one table; please ask for two bookings.`;
  if (time < firstTable || time > lastTable) return `Tables can be booked from ${firstTable} to ${lastTable}.`;
  if (`${date} ${time}` <= localTime(now)) return 'That time is already over; please choose a later one.';
  return undefined;
}

/** 2026-11-21 18:05, where the restaurant is. */
const localTime = (now: Date) => now.toLocaleString('sv-SE', { timeZone: timezone }).slice(0, 16);

/** Without letters and digits that sound or look alike. */
const alphabet = 'ACDEFHJKLMNPRTUVWXY34679';

const newReference = () => `B-${Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('')}`;
