import type { InteractionMode } from '../../contract/session.ts';

/** When what happened, on the monotonic clock. */
export interface OutputTimes {
  firstWordAt?: number;
  /** In writing: the last word was handed to the room. The person may have read it before this host hears that it is out. */
  lastWordAt?: number;
  /** The first sound was handed to the room, and the last one was heard, or cut. */
  firstSoundAt?: number;
  soundEndedAt?: number;
}

export interface Beginning {
  /** It is given again, in writing under the same name. */
  segment?: string | undefined;
  /** It tells somebody that they are not forgotten, and answers nothing. */
  isFiller?: boolean;
}

/**
 * How one turn of the agent, or one line of the service, reaches the person: written (`TextOutput`) or aloud
 * (`SpokenOutput`). A conversation makes one for each; everything else about a turn is the same for both.
 */
export interface Output {
  /** Names it in the room. */
  readonly segment: string;
  /** How the words are told; stored with them. */
  readonly mode: InteractionMode;
  /** Whether there are words, said already or about to be. */
  readonly hasWords: boolean;
  /** All that was said so far. */
  readonly said: string;
  /** Whether the person cut it short: what was not said by then never is. */
  readonly cut: boolean;
  readonly times: OutputTimes;
  begin(as?: Beginning): void;
  /** Called with each piece of text as the model says it. */
  captureText(text: string): Promise<void>;
  /** A line of the service in the middle of the agent's own words. False, and not said, while something else is heard or nobody waits to hear. */
  interject(line: string): boolean;
  /** The same before all of them. False, and not said, where some of them were heard, or the line's sound would have to be made. */
  sayFirst(line: string): boolean;
  /** No further words follow. Resolves when the last one is out. */
  end(): Promise<void>;
  /** What was said since the last time this was asked. */
  take(): Promise<string>;
  /** As `take`, before a tool's row is written. */
  takeBeforeTool(): Promise<string>;
  /** The person wants to speak: no further word. What is out already stays said. */
  stop(): void;
  /** Nothing more is said: another host does, or the person has gone. */
  mute(): void;
  /** The room went away: what was said may not have arrived. */
  interrupted(): void;
  /** Says again what did not arrive, once the person is back within `patienceMs`. Returns whether all of it has arrived then. */
  repeatIfBroken(patienceMs: number): Promise<boolean>;
}

/** How long ago the last word was out, in milliseconds; 0 where the output does not tell. */
export const outSinceMs = ({ times: { lastWordAt } }: Output): number =>
  lastWordAt === undefined ? 0 : performance.now() - lastWordAt;
