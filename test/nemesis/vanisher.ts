import { eventually } from '../support/eventually.ts';
import type { Customer } from '../support/people/customer.ts';
import { PersonProcess } from '../support/people/person-process.ts';
import type { History } from './history.ts';

/** Somebody whose client is killed in the middle of a conversation. */
export class Vanisher implements AsyncDisposable {
  readonly session: string;
  readonly #client: PersonProcess;
  readonly #history: History;

  private constructor(session: string, client: PersonProcess, history: History) {
    this.session = session;
    this.#client = client;
    this.#history = history;
  }

  static async join(customer: Customer, history: History): Promise<Vanisher> {
    const { sessionId, ...connection } = await eventually('a session', () => customer.createSession());
    const sinceMs = history.at();
    const client = new PersonProcess(connection, 'soon gone');
    await client.hears(/^You said: soon gone$/);
    history.add({ kind: 'joined', session: sessionId, sinceMs });
    return new Vanisher(sessionId, client, history);
  }

  async vanish(): Promise<void> {
    await this.#client.kill();
    this.#history.add({ kind: 'vanished', session: this.session });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.kill();
  }
}
