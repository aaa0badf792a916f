import { bestEffort } from '../../services/process/best-effort.ts';
import { sleep } from '../../services/process/sleep.ts';
import { within } from '../../services/process/within.ts';
import { eventually } from '../support/eventually.ts';
import type { CreatedSession, Customer } from '../support/people/customer.ts';
import { Person } from '../support/people/person.ts';
import type { History } from './history.ts';

/** Who waits longer writes the next text. */
const patienceMs = 4_000;
const sendsWithinMs = 3_000;
const pauseMs = [300, 1_100] as const;
const rejoinEveryMs = 500;
/** After everything was healed: more than the slowest proof of death, a room server's give-up of a client, and a takeover. */
const healedWithinMs = 60_000;
const toolEvery = 4;

/** Somebody who talks all the time, writes again when nobody answers, and comes back when the room is lost, as a page does. */
export class Talker {
  readonly session: string;
  readonly #name: string;
  readonly #customer: Customer;
  readonly #history: History;
  #person: Person;
  readonly #noted = new Set<object>();
  #written = 0;
  #gone = false;

  private constructor(name: string, customer: Customer, history: History, session: string, person: Person) {
    this.#name = name;
    this.#customer = customer;
    this.#history = history;
    this.session = session;
    this.#person = person;
  }

  /** Joins a session of its own. @param name of texts and labels, which nobody else has */
  static async join(name: string, customer: Customer, history: History): Promise<Talker> {
    const { sessionId, ...connection }: CreatedSession = await eventually('a session', () => customer.createSession());
    const sinceMs = history.at();
    const person = await Person.join(connection);
    history.add({ kind: 'joined', session: sessionId, sinceMs });
    return new Talker(name, customer, history, sessionId, person);
  }

  /** Until it is told that it is over, or the session is. */
  async talk(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#person.disconnectedBecause !== undefined) await this.#comeBack(isOver);
      const isTool = this.#written % toolEvery === toolEvery - 1;
      await (isTool ? this.#askTool() : this.#ask(patienceMs));
      const [least, most] = pauseMs;
      await sleep(least + Math.random() * (most - least));
    }
  }

  /** When all is healed: a text that must be answered, however often it has to be written. */
  async goesOn(): Promise<void> {
    const until = performance.now() + healedWithinMs;
    const isOver = () => performance.now() > until;
    do {
      if (this.#person.disconnectedBecause !== undefined) await this.#comeBack(isOver);
      if (await this.#ask(patienceMs)) return;
    } while (!isOver());
    this.#history.add({ kind: 'gave up', session: this.session });
  }

  async leave(): Promise<void> {
    this.#goes();
    const atMs = performance.now();
    await this.#person.leave();
    this.#history.add({ kind: 'left', session: this.session, untilMs: this.#history.at() }, atMs);
  }

  /** The caller ends the session. */
  async end(): Promise<void> {
    this.#goes();
    const atMs = performance.now();
    const { billedSeconds } = await eventually('the session is ended', () => this.#customer.endSession(this.session));
    const untilMs = this.#history.at();
    this.#history.add({ kind: 'was ended', session: this.session, billedSeconds, untilMs }, atMs);
    await this.#person.leave();
  }

  /** Whether the person has a place in the room now, as its client sees it. */
  get isThere(): boolean {
    return !this.#gone && this.#person.disconnectedBecause === undefined;
  }

  #goes(): void {
    this.#gone = true;
    this.#noteReplies();
  }

  async #ask(withinMs: number): Promise<boolean> {
    const text = `${this.#name} ${this.#next()}`;
    return this.#write(text, `You said: ${text}`, withinMs);
  }

  async #askTool(): Promise<boolean> {
    const label = `${this.#name.replace(/\W/g, '_')}_${this.#next()}`;
    return this.#write(`wait 300 ${label}`, new RegExp(`^(Waited: ${label}\\.|The waiting failed\\.)$`), patienceMs);
  }

  #next(): number {
    this.#written += 1;
    return this.#written;
  }

  async #write(text: string, answer: string | RegExp, withinMs: number): Promise<boolean> {
    const from = this.#person.replies.length;
    this.#history.add({ kind: 'wrote', session: this.session, text });
    await bestEffort(
      'nobody may be there: it is written anew',
      within(sendsWithinMs, 'a text', this.#person.write(text)),
    );
    const isAnswer = (heard: string) => (typeof answer === 'string' ? heard === answer : answer.test(heard));
    const isAnswered = await eventually(
      'an answer',
      () => this.#person.replies.slice(from).some((reply) => reply.endedAt !== undefined && isAnswer(reply.text)),
      { withinMs },
    ).catch(() => false);
    this.#noteReplies();
    if (!isAnswered) this.#history.add({ kind: 'not answered', session: this.session, text });
    return isAnswered;
  }

  /** What was heard since the last time. */
  #noteReplies(): void {
    for (const reply of this.#person.replies) {
      if (reply.endedAt === undefined || this.#noted.has(reply)) continue;
      this.#noted.add(reply);
      const { text, speaker = 'unknown' } = reply;
      const beganMs = this.#history.at(reply.beganAt);
      this.#history.add({ kind: 'heard', session: this.session, text, beganMs, speaker }, reply.endedAt);
    }
  }

  async #comeBack(isOver: () => boolean): Promise<void> {
    this.#noteReplies();
    const reason = this.#person.disconnectedBecause ?? 0;
    this.#history.add({ kind: 'lost the room', session: this.session, reason });
    while (!isOver() && this.#person.disconnectedBecause !== undefined) {
      const joined = this.#customer.readSession(this.session).then((connection) => Person.join(connection));
      const person = await bestEffort('it is tried again', joined);
      if (person) {
        this.#person = person;
        this.#history.add({ kind: 'noted', what: `${this.#name} came back` });
      } else await sleep(rejoinEveryMs);
    }
  }
}
