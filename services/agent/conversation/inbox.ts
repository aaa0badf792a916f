import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import { storable } from '../../store/text.ts';
import type { IncomingText } from '../room/hearing.ts';
import { type StoredConversation, unanswered, wasBegun } from './history.ts';
import type { WaitingText } from './state/state.ts';
import { TextIntake } from './text-intake.ts';
import type { Transcript } from './transcript.ts';

export interface InboxParts {
  limits: CompiledLimits;
  transcript: Transcript;
  /** Texts in line for their answer. */
  waiting(): number;
  /** Now, by the database's clock. */
  now(): Date;
  /** Whether texts are answered here; otherwise they are stored for the successor. */
  isOpen(): boolean;
  /** A text that was heard here waits for its answer. */
  onWaits(text: WaitingText): void;
  /** Texts that were heard by others do. */
  onFound(texts: readonly WaitingText[]): void;
  /** Looks for stored texts without an answer and calls `resume` with what it finds. */
  catchUp(): Promise<void>;
  /** Too much at once: the person is told so in a line. `key` names the text that was refused. */
  onTooMuch(key: string): void;
}

/**
 * What the person writes, on its way to being answered: cut, counted against the limits, stored, and put in line, each text
 * once, whether it was heard here or by another host and found in the database.
 */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #intake: TextIntake;
  readonly #known = new Set<string>();
  #arriving = 0;
  /** What a successor hears before it knows what its predecessor has stored: answered after that, in the order it was written. */
  #early: WaitingText[] | undefined;

  constructor(parts: InboxParts, { isSuccessor }: { isSuccessor: boolean }) {
    this.#parts = parts;
    this.#intake = new TextIntake(parts.limits);
    if (isSuccessor) this.#early = [];
  }

  /** A text that was heard in the room. Rejects when it could not be taken in. */
  async hear({ text: heard, ...incoming }: IncomingText): Promise<void> {
    const { key } = incoming;
    if (this.#known.has(key)) return;
    // Cut and cleaned before anything else: the model hears what is stored.
    const text = storable(heard.slice(0, this.#parts.limits.textLength));
    if (!text.trim() || !this.#admit(key)) return;
    this.#known.add(key);
    this.#arriving += 1;
    await this.#store({ ...incoming, text, at: this.#parts.now() }).finally(() => {
      this.#arriving -= 1;
    });
  }

  /** Stored texts that nobody has answered: those of a former host, or what it heard on its way out. */
  resume(stored: StoredConversation): void {
    const found = unanswered(stored).filter((message) => !this.#known.has(keyOf(message)));
    for (const message of found) this.#known.add(keyOf(message));
    if (found.length === 0) return;
    this.#parts.onFound(
      found.map((message) => ({
        ...{ text: message.content, sequence: Promise.resolve(message.sequence), key: keyOf(message) },
        begun: wasBegun(stored, message.sequence),
        ...(message.draft && { draft: message.draft }),
      })),
    );
  }

  /** What the predecessor stored is in line; what was heard here meanwhile comes after it. */
  caughtUp(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const text of early) this.#parts.onWaits(text);
  }

  #admit(key: string): boolean {
    const { transcript, waiting, onTooMuch } = this.#parts;
    // With the database away for long nothing more can be remembered, not even that a line was said.
    if (transcript.full) return false;
    const admission = this.#intake.admit(waiting() + this.#arriving);
    if (admission === 'refused_with_a_line') onTooMuch(key);
    return admission === 'accepted';
  }

  async #store(incoming: IncomingText): Promise<void> {
    const { transcript, isOpen, onWaits, catchUp } = this.#parts;
    const { text, sequence, isNew } = await transcript.heard(incoming);
    if (!isNew) {
      // Another host has stored it and may not have answered it; a look into the database just now would have passed it by.
      this.#known.delete(incoming.key);
      return catchUp();
    }
    if (!isOpen()) return transcript.tellSuccessor();
    const waiting = { text, sequence, key: incoming.key, begun: false, hearing: incoming.hearing };
    if (this.#early) return void this.#early.push(waiting);
    onWaits(waiting);
  }
}

const keyOf = (message: MessageRow) => message.message_key ?? String(message.sequence);
