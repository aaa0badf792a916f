import type { InteractionMode, TurnTiming } from '../../contract/session.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { addPersonText, addReply } from '../../store/tables/messages.ts';
import { finishToolCall, startToolCall } from '../../store/tables/tool-calls.ts';
import type { IncomingText } from '../room/hearing.ts';
import { Journal, type JournalProblem } from './journal.ts';
import type { Output } from './output.ts';
import type { ToolLedger } from './tool-guard.ts';

export interface TranscriptDeps {
  db: Database;
  notifier: Notifier;
  /** Now, by the database's clock. */
  now(): Date;
}

/** A person's text on its way through a turn. */
export interface PersonText {
  text: string;
  /** The text's place in the transcript, once it is stored; undefined when the transcript was closed before. */
  sequence: Promise<number | undefined>;
}

/** The turn in which a tool is called. */
export interface CurrentTurn {
  current: PersonText | undefined;
  output: Output | undefined;
  /** What was said before it has its place in the transcript. */
  toolStarts(): void;
}

export interface Said {
  content: string;
  mode: InteractionMode;
  interrupted: boolean;
  closesTurn: boolean;
  tokens: number;
  timing?: TurnTiming;
}

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
    this.#journal = new Journal(on.problem);
    this.#onStale = on.stale;
  }

  /** Nothing more can be taken in until the database is back. */
  get full(): boolean {
    return this.#journal.full;
  }

  /** Resolves when the text is stored, or at once when the database is away: then it is stored later and answered now. */
  async heard({ key, text, at, mode }: IncomingText): Promise<PersonText & { isNew: boolean }> {
    const { db } = this.#deps;
    const written = this.#journal.write(() =>
      addPersonText(db, {
        tenant: this.#lease.tenant_id,
        session: this.#lease.session_id,
        key,
        content: text,
        at,
        mode,
      }),
    );
    let isNew = true;
    const sequence = written.then((row) => {
      isNew = row?.is_new ?? false;
      return row?.sequence;
    });
    await this.#journal.settledOrOffline(sequence);
    return { text, sequence, isNew };
  }

  /** What the agent said in answer to an utterance. */
  said(utterance: Pick<PersonText, 'sequence'> | undefined, said: Said): Promise<unknown> {
    const key = `reply ${crypto.randomUUID()}`;
    const at = this.#deps.now();
    return this.#journal.write(async () => {
      const turn = utterance ? await utterance.sequence : 0;
      if (turn !== undefined) await this.#reply({ ...said, turn, key, at });
    });
  }

  /** A line that answers nothing: the greeting, a notice. `key` makes it one of its kind in the session. */
  line(content: string, line: { key: string } & Pick<Said, 'mode' | 'interrupted'>): Promise<unknown> {
    const at = this.#deps.now();
    return this.#journal.write(() => this.#reply({ content, ...line, at, turn: 0, closesTurn: false, tokens: 0 }));
  }

  /** The ledger of one turn's tool calls; of what goes out in the turn, what was said and is not stored yet comes first. */
  ledger(turns: () => CurrentTurn): ToolLedger {
    return {
      started: async ({ id, name, args }) => {
        const { current: utterance, output } = turns();
        const content = await output?.takeBeforeTool();
        turns().toolStarts();
        if (output && content) {
          const { mode } = output;
          void this.said(utterance, { content, mode, interrupted: false, closesTurn: false, tokens: 0 });
        }
        if (!(await this.#journal.drained(beforeToolMs))) throw new Error('the database is away: no tool is started');
        const turn = (await utterance?.sequence) ?? 0;
        const { tenant_id: tenant, session_id: session, epoch } = this.#lease;
        const sequence = await startToolCall(this.#deps.db, {
          tenant,
          session,
          epoch,
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
        void this.#journal.write(() =>
          finishToolCall(this.#deps.db, { tenant: this.#lease.tenant_id, id, status, result }),
        );
      },
    };
  }

  /** Calls of an earlier host count too: no two calls of a turn have the same place. */
  continueOrdinals(calls: readonly { turn: number; ordinal: number }[]): void {
    for (const { turn, ordinal } of calls) this.#ordinals.set(turn, Math.max(ordinal, this.#ordinals.get(turn) ?? 0));
  }

  drained(deadlineMs: number): Promise<boolean> {
    return this.#journal.drained(deadlineMs);
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

  async #reply(reply: Said & { turn: number; key: string; at: Date }): Promise<void> {
    const { tenant_id: tenant, session_id: session, epoch } = this.#lease;
    const sequence = await addReply(this.#deps.db, { tenant, session, epoch, ...reply });
    if (sequence === null) this.#onStale();
  }
}
