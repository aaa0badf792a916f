import { randomInt } from 'node:crypto';

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
  const wish = readWish(request);
  if (typeof wish === 'string') return refusal(wish);
  const problem = impossible(wish, now);
  if (problem) return refusal(problem);
  return { status: 201, body: { reference: newReference(), ...wish } };
}

const refusal = (message: string): Answer => ({ status: 422, body: { message } });

/** The wish, or what is wrong with it. */
function readWish(request: unknown): Wish | string {
  if (typeof request !== 'object' || request === null) return 'A booking needs name, date, time and guests.';
  const { name, date, time, guests } = request as Record<string, unknown>;
  if (typeof name !== 'string' || name.trim() === '') return 'A booking needs a name.';
  if (typeof date !== 'string' || !isDate(date)) return 'There is no such day; a date looks like 2026-11-24.';
  if (typeof time !== 'string' || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) {
    return 'There is no such time; a time looks like 19:30.';
  }
  const people = Number(guests);
  if (!Number.isInteger(people) || people < 1) return 'A booking needs the number of guests, at least 1.';
  return { name: name.trim(), date, time, guests: people };
}

/** JavaScript's dates turn 31 February into March, so the day must come back as it went in. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
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
