/**
 * A session that host after host carries on, with what is stored between them: tests decide when one dies, or stands still while
 * another takes its place and then goes on. Guard, ledger's order, what a successor settles and what its model is told are the real ones.
 */
import type { llm } from '@livekit/agents';
import type { CompiledTool } from '../../../agent-files/definition/compiled.ts';
import type { ToolOutcome } from '../../../contract/session.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import type { Database } from '../../../store/database.ts';
import type { Query } from '../../../store/sql.ts';
import type { MessageRow } from '../../../store/tables/messages.ts';
import type { ToolCallRow } from '../../../store/tables/tool-calls.ts';
import { toChatItems, unanswered, wasBegun } from '../history.ts';
import { settleInterruptedCalls } from '../interrupted-calls.ts';
import type { Loaded } from '../loading.ts';
import { type RunTool, ToolGuard } from '../tool-guard.ts';
import {
  type Happening,
  type Life,
  SimulatedConversation,
  type SimulatedHost,
  type Surroundings,
} from './simulated-conversation.ts';
import type { WaitingText } from './state.ts';

const tool = (name: string, idempotent: boolean): CompiledTool => ({
  ...{ name, description: name, parameters: { type: 'object', properties: { deed: { type: 'string' } } } },
  ...{ timeoutMs: 600_000, idempotent },
});
const tools = [tool('book', false), tool('note', true)] as const;

const limits = { toolCallsPerTurn: 100, equalToolCalls: 5 };

/** No clock here: what is stored has its order. */
const theSameMoment = new Date(0);

/** What the database has of it. */
class Stored {
  epoch = 0;
  #keys = 0;
  readonly messages: MessageRow[] = [];
  readonly toolCalls: ToolCallRow[] = [];

  nextKey(): string {
    this.#keys += 1;
    return `text ${this.#keys}`;
  }

  add(key: string): number {
    const sequence = this.messages.length + 1;
    const row = {
      sequence,
      role: 'USER',
      source: 'host',
      content: key,
      message_key: key,
      at: theSameMoment,
      answered_at: null,
      draft: null,
    };
    this.messages.push(row as MessageRow);
    return sequence;
  }

  /** As `add_reply`: under the lease only. */
  answer(key: string, epoch: number): void {
    const row = this.messages.find(({ message_key }) => message_key === key);
    if (row && epoch === this.epoch) row.answered_at = theSameMoment;
  }

  /** As `begin_tool_call`: under the lease only. */
  start(call: Pick<ToolCallRow, 'id' | 'name' | 'arguments' | 'turn'>, epoch: number): boolean {
    if (epoch !== this.epoch) return false;
    this.toolCalls.push({
      ...call,
      sequence: this.messages.length + 1,
      status: 'started',
      result: null,
      started_at: theSameMoment,
    } as ToolCallRow);
    return true;
  }

  /** As `finish_tool_call`: the first to say so is right. */
  finish(id: string, status: ToolOutcome, result: string): boolean {
    const row = this.toolCalls.find((call) => call.id === id);
    if (row?.status !== 'started') return false;
    Object.assign(row, { status, result });
    return true;
  }

  /** Of all that is written when a host settles what it has loaded, this is the one thing. */
  readonly db = {
    query: async ({ values: [, id, status, result] }: Query) => [
      { done: this.finish(String(id), status as ToolOutcome, String(result)) },
    ],
  } as unknown as Database;
}

/** The endpoints: what was done, by the deed that a person's text asked for. One that was asked with the same id knows it. */
class World {
  readonly done = new Map<string, string[]>();

  readonly run: RunTool = async ({ name, idempotent }, { deed }, { id }) => {
    const ids = this.done.get(String(deed)) ?? [];
    if (!idempotent || !ids.includes(id)) this.done.set(String(deed), [...ids, id]);
    return `${name} is done`;
  };
}

/** One host's model and guard. A model calls for each text once, and never what it is told of. */
class Around implements Surroundings {
  readonly epoch: number;
  readonly found: readonly WaitingText[];
  readonly #stored: Stored;
  readonly #world: World;
  readonly #known: Set<string>;
  #turn = new AbortController();

  constructor(stored: Stored, world: World, told: readonly llm.ChatItem[]) {
    [this.#stored, this.#world, this.epoch] = [stored, world, stored.epoch];
    this.#known = new Set(told.flatMap((item) => (item.type === 'function_call' ? [deedOf(item)] : [])));
    this.found = unanswered(stored).map(({ content, sequence }) => ({
      ...{ key: content, text: content, sequence: Promise.resolve(sequence) },
      begun: wasBegun(stored, sequence),
    }));
  }

  nextKey(): string {
    return this.#stored.nextKey();
  }

  taken(key: string): Promise<number> {
    return Promise.resolve(this.#stored.add(key));
  }

  answered(key: string): void {
    this.#stored.answer(key, this.epoch);
  }

  interrupted(): void {
    this.#turn.abort();
    this.#turn = new AbortController();
  }

  callTool(host: SimulatedHost, key: string, which: number): void {
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const wanted = tools[which % 2 === 0 ? 0 : 1];
    const guard = new ToolGuard(limits, this.#ledger(host, key), (...given) => this.#run(host, which, given));
    const abortSignal = this.#turn.signal;
    const called = guard.wrap(wanted).execute({ deed: key }, { abortSignal } as never);
    void bestEffort('whatever the model is told, it does not call again', called as Promise<unknown>);
  }

  #ledger(host: SimulatedHost, key: string) {
    const { resolve, promise } = Promise.withResolvers<boolean>();
    return {
      started: (call: { id: string; name: string; args: Record<string, unknown> }) => {
        const turn = this.#stored.messages.find(({ message_key }) => message_key === key)?.sequence ?? 0;
        host.later(() => void resolve(this.#stored.start({ ...call, arguments: call.args, turn }, this.epoch)));
        return promise;
      },
      finished: ({ id, status, result }: { id: string; status: ToolOutcome; result: string }) =>
        host.later(() => void this.#stored.finish(id, status, result)),
    };
  }

  /** The request is out at once; its answer comes when it comes. */
  #run(host: SimulatedHost, which: number, [wanted, args, call]: Parameters<RunTool>): Promise<unknown> {
    const answer = this.#world.run(wanted, args, call);
    const { resolve, promise } = Promise.withResolvers<unknown>();
    host.post({ kind: 'tool_began', interruptible: which < 4 });
    host.later(() => {
      resolve(answer);
      return { kind: 'tool_ended' };
    });
    return promise;
  }
}

const deedOf = (call: llm.FunctionCall): string => String(JSON.parse(call.args).deed);

const aMoment = () => new Promise<void>((resolve) => void setImmediate(resolve));

export class SimulatedSession {
  readonly #life: Life;
  readonly #stored = new Stored();
  readonly #world = new World();
  /** The last one has the session; those before it do not know yet. */
  #hosts: { conversation: SimulatedConversation; around: Around }[] = [];

  private constructor(life: Life) {
    this.#life = life;
  }

  static async begin(life: Life): Promise<SimulatedSession> {
    const session = new SimulatedSession(life);
    await session.#takeUp();
    return session;
  }

  /** How often each deed that a text asked for was done. */
  get done(): number[] {
    return [...this.#world.done.values()].map((ids) => ids.length);
  }

  get toolCalls(): readonly ToolCallRow[] {
    return this.#stored.toolCalls;
  }

  /** `be replaced`: the host dies, or stands still and goes on beside its successor. */
  async happen(what: Happening | 'be replaced', which: number): Promise<void> {
    if (what === 'be replaced') await this.#replace(which < 4);
    else this.#hostFor(what, which)?.conversation.happen(what, which);
    await aMoment();
  }

  /** Everything that is under way anywhere comes to its end: a call is written down, made, answered, and written down again. */
  async settle(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      for (const { conversation } of this.#hosts) conversation.settle();
      await aMoment();
    }
    for (const { around } of this.#hosts) around.interrupted();
    await aMoment();
  }

  /** What comes from outside reaches whoever has the session; what is under way goes on anywhere. */
  #hostFor(what: Happening, which: number) {
    const goesOn = what === 'proceed' || what === 'call a tool';
    return this.#hosts.at(goesOn ? -1 - (which % this.#hosts.length) : -1);
  }

  async #replace(isDead: boolean): Promise<void> {
    if (isDead) this.#hosts.pop()?.around.interrupted();
    await this.#takeUp();
  }

  async #takeUp(): Promise<void> {
    const { messages, toolCalls, db } = this.#stored;
    this.#stored.epoch += 1;
    const loaded = { session: { tenant_id: 'acme' }, definition: { tools }, messages, toolCalls } as unknown as Loaded;
    const settled = await settleInterruptedCalls(db, loaded, this.#world.run);
    const around = new Around(this.#stored, this.#world, toChatItems(settled, new Set()));
    this.#hosts.push({ conversation: new SimulatedConversation(this.#life, around), around });
  }
}
