import type { InteractionMode, TurnTiming } from '../../contract/session.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { addPersonText, addReply } from '../../store/tables/messages.ts';
import { type OwedReply, writeOwed } from '../../store/tables/owed.ts';
import { finishToolCall, startToolCall } from '../../store/tables/tool-calls.ts';
import type { OwedKeeper } from '../owed/kept.ts';
import type { IncomingText } from '../room/hearing.ts';
import { Journal, type JournalProblem } from './journal.ts';
import type { Output } from './output.ts';
import type { ToolLedger } from './tool-guard.ts';

export interface TranscriptDeps {
  db: Database;
  notifier: Notifier;
  /** Now, by the database's clock. */
  now(): Date;
  /** Keeps what is owed to the database beyond the end of this process; undefined where there is no place for it. */
  owed: OwedKeeper | undefined;
}

/** A person's text on its way through a turn. */
export interface PersonText {
  text: string;
  /** The text's place in the transcript, once it is stored; undefined when the transcript was closed before. */
  sequence: Promise<number | undefined>;
  /** Names the text where its place is not known yet. */
  key?: string;
}

/** The turn in which a tool is called. */
export interface CurrentTurn {
  current: PersonText | undefined;
  output: Output | undefined;
  /** What was said so far has its place in the transcript. */
  saidIsStored(): void;
}

export interface Said {
  content: string;
  mode: InteractionMode;
  interrupted: boolean;
  closesTurn: boolean;
  tokens: number;
  timing?: TurnTiming;
  /** How long ago it was said, in milliseconds: what the person wrote after reading it came later. 0 where nobody looked. */
  agoMs?: number;
}

/** A host that leaves waits so long for what it has written down to be stored. */
export const lastWritesMs = 5_000;
/** How long a tool waits for what was said before it to be stored. */
const beforeToolMs = 2_000;

/**
 * What is written down of one conversation, by the host that owns it: each text of the person before the model sees it,
 * each tool call before it runs, each reply when it is out.
 */
export class Transcript {
  readonly #deps: TranscriptDeps;
  readonly #lease: Lease;
  readonly #journal: Journal;
  readonly #onStale: () => void;
  #ordinals = new Map<number, number>();

  constructor(
    deps: TranscriptDeps,
    lease: Lease,
    on: { stale: () => void; problem: (problem: JournalProblem) => void },
  ) {
    this.#deps = deps;
    this.#lease = lease;
    this.#journal = new Journal(on.problem, deps.owed);
    this.#onStale = on.stale;
  }

  /** Nothing more can be taken in until the database is back. */
  get full(): boolean {
    return this.#journal.full;
  }

  /** Resolves when the text is stored, or at once when the database is away: then it is stored later and answered now. */
  async heard({ key, text, at, mode }: IncomingText): Promise<PersonText & { isNew: boolean }> {
    const heard = { ...this.#owing, key, content: text, at, mode };
    const written = this.#journal.write(() => addPersonText(this.#deps.db, heard), { kind: 'text', ...heard });
    let isNew = true;
    const sequence = written.then((row) => {
      isNew = row?.is_new ?? false;
      return row?.sequence;
    });
    await this.#journal.settledOrOffline(sequence);
    return { text, sequence, key, isNew };
  }

  /** What the agent said in answer to an utterance. */
  said(utterance: Pick<PersonText, 'sequence' | 'key'> | undefined, { agoMs = 0, ...said }: Said): Promise<unknown> {
    const at = new Date(this.#deps.now().getTime() - agoMs);
    const reply = { ...said, key: `reply ${crypto.randomUUID()}`, at };
    const owed = this.#owedReply(reply, utterance ? utterance.key : 0);
    return this.#journal.write(async (wasKept) => {
      const turn = utterance ? await utterance.sequence : 0;
      if (turn !== undefined) await this.#reply({ ...reply, turn }, wasKept ? owed : undefined);
    }, owed);
  }

  /** A line that answers nothing: the greeting, a notice. `key` makes it one of its kind in the session. */
  line(
    content: string,
    { agoMs = 0, ...line }: { key: string } & Pick<Said, 'mode' | 'interrupted' | 'agoMs'>,
  ): Promise<unknown> {
    const at = new Date(this.#deps.now().getTime() - agoMs);
    const said = { content, ...line, at, turn: 0, closesTurn: false, tokens: 0 };
    const owed = this.#owedReply(said, 0);
    return this.#journal.write((wasKept) => this.#reply(said, wasKept ? owed : undefined), owed);
  }

  /** The ledger of one turn's tool calls; of what goes out in the turn, what was said and is not stored yet comes first. */
  ledger(turns: () => CurrentTurn): ToolLedger {
    return {
      started: async ({ id, name, args }) => {
        const { current: utterance, output } = turns();
        const content = await output?.takeBeforeTool();
        if (output && content) {
          turns().saidIsStored();
          const { mode } = output;
          void this.said(utterance, { content, mode, interrupted: false, closesTurn: false, tokens: 0 });
        }
        if (!(await this.#journal.drained(beforeToolMs))) throw new Error('the database is away: no tool is started');
        const turn = (await utterance?.sequence) ?? 0;
        const sequence = await startToolCall(this.#deps.db, {
          ...this.#owing,
          epoch: this.#lease.epoch,
          turn,
          ordinal: this.#nextOrdinal(turn),
          id,
          name,
          arguments: args,
        });
        if (sequence === null) this.#onStale();
        return sequence !== null;
      },
      finished: ({ id, status, result }) => {
        const { tenant } = this.#owing;
        void this.#journal.write(() => finishToolCall(this.#deps.db, { tenant, id, status, result }), {
          ...{ kind: 'result', ...this.#owing },
          ...{ call: id, status, result },
        });
      },
    };
  }

  /** Calls of an earlier host count too: no two calls of a turn have the same place. */
  continueOrdinals(calls: readonly { turn: number; ordinal: number }[]): void {
    for (const { turn, ordinal } of calls) this.#ordinals.set(turn, Math.max(ordinal, this.#ordinals.get(turn) ?? 0));
  }

  /** Resolves when everything is written, or after a while; false when something is still owed. */
  drained(): Promise<boolean> {
    return this.#journal.drained(lastWritesMs);
  }

  abandon(): void {
    this.#journal.abandon();
  }

  /** For the host that took over: there is a text in the database that only we heard. */
  tellSuccessor(): void {
    this.#deps.notifier.tell(channels.session, `text ${this.#lease.session_id}`);
  }

  #nextOrdinal(turn: number): number {
    const next = (this.#ordinals.get(turn) ?? 0) + 1;
    this.#ordinals.set(turn, next);
    return next;
  }

  get #owing() {
    return { tenant: this.#lease.tenant_id, session: this.#lease.session_id };
  }

  /** The same as data; undefined when nobody could tell which text it answers. */
  #owedReply(
    reply: Omit<Said, 'tokens'> & { key: string; at: Date },
    answers: OwedReply['answers'] | undefined,
  ): OwedReply | undefined {
    if (answers === undefined) return undefined;
    const { key, content, at, mode, interrupted, closesTurn, timing } = reply;
    const said = { key, content, at, mode, interrupted, closesTurn, timing };
    return { kind: 'reply', ...this.#owing, epoch: this.#lease.epoch, answers, ...said };
  }

  /** @param owed what is stored as late evidence when the session is another host's by now */
  async #reply(reply: Said & { turn: number; key: string; at: Date }, owed: OwedReply | undefined): Promise<void> {
    const { db } = this.#deps;
    const sequence = await addReply(db, { ...this.#owing, epoch: this.#lease.epoch, ...reply });
    if (sequence !== null) return;
    this.#onStale();
    if (owed) await writeOwed(db, this.#owing, [owed]);
  }
}
