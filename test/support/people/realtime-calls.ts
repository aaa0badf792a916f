import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../eventually.ts';
import { openaiRealtime, type RealtimeTest } from '../stand-ins/providers/openai-realtime.ts';
import { type SpeechServer, startSpeechServer, testKey } from '../stand-ins/providers/speech-server.ts';
import { addAgents } from '../world/agent-files.ts';
import { startWorld, type World } from '../world/world.ts';
import type { Customer } from './customer.ts';
import { SpeakingPerson } from './speaking-person.ts';
import { spoken } from './speech-sound.ts';

/** Longer than anybody listens to without a word. */
export const story =
  'Once there was a miller who had three sons. The first one took the mill. The second one took the donkey. ' +
  'The third one took the cat, and nobody thought that it was worth anything. But the cat asked for a pair of boots.';

export interface Call {
  session: { sessionId: string; wsUrl: string; token: string };
  person: SpeakingPerson;
}

/** A world with the agent `fluent` on a speech-to-speech model of our own, which understands what it is told to understand. */
export class RealtimeCalls implements AsyncDisposable {
  readonly world: World;
  readonly server: SpeechServer;
  readonly model: RealtimeTest;
  readonly customer: Customer;

  private constructor(world: World, server: SpeechServer, model: RealtimeTest, customer: Customer) {
    this.world = world;
    this.server = server;
    this.model = model;
    this.customer = customer;
  }

  static async start(otherAgents: (url: string) => Record<string, object> = () => ({})): Promise<RealtimeCalls> {
    const model = openaiRealtime();
    const server = await startSpeechServer(model.protocol);
    const world = await startWorld({ workers: 0, env: { OPENAI_API_KEY: testKey, TEST_REALTIME_KEY: testKey } });
    await addAgents(world, {
      fluent: {
        voiceAgentKind: 'realtime',
        realtime: { baseUrl: `${server.url}/v1`, apiKey: { env: 'TEST_REALTIME_KEY' } },
        languages: [
          { code: 'en', name: 'English', greeting: 'Welcome to the model.', lines: { modelUnavailable: 'Excuse me.' } },
        ],
        tools: ['end_call', 'collect'],
        script: { fallback: 'By writing.', rules: [{ when: '^never said', say: 'Never.' }] },
      },
      ...otherAgents(`${server.url}/v1`),
    });
    return new RealtimeCalls(world, server, model, await world.customer('fluent'));
  }

  /** As it is when all is well, and nobody calls. */
  async mend(): Promise<void> {
    for (const { id } of await this.world.admin.query<{ id: string }>(
      sql`select id from sessions where status <> 'ended'`,
    )) {
      await this.customer.call('POST', `/api/sessions/${id}/end`);
    }
    await eventually('no connection is left', () => this.model.connections === 0);
    this.server.fault = undefined;
    this.model.refuses = undefined;
    this.model.losesSpeaker = undefined;
    this.model.hears.length = 0;
    this.model.reply(({ text }) => ({ text: `You said: ${text}` }));
  }

  /** In a call that has been greeted. */
  async call(): Promise<Call> {
    const session = await this.customer.createSession({ interactionMode: 'VOICE' });
    const person = await SpeakingPerson.join(session);
    await person.reads(/^Welcome to the model\.$/);
    await person.hearsSilence();
    return { session, person };
  }

  /** The sound is what matters to the model of the tests: that there is some. */
  async speak(person: SpeakingPerson, understood: string): Promise<void> {
    this.model.hears.push(understood);
    await person.say(await spoken('hello my friend'));
  }

  /** Why the session is over, once it is. */
  endOf(sessionId: string): Promise<string> {
    return eventually(
      'the session is over',
      async () => {
        const [row] = await this.world.admin.query<{ status: string; end_reason: string }>(
          sql`select status, end_reason from sessions where id = ${sessionId}`,
        );
        return row?.status === 'ended' && row.end_reason;
      },
      { withinMs: 60_000 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}
