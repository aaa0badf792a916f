import type { Message, SessionShown } from '../../account/account-api.ts';
import { duration, milliseconds } from '../../words/formats.ts';
import { named, useFormats, useWords } from '../../words/use-words.ts';
import { middle, waits } from './turns.ts';

/** The conversation in figures, those that there are. */
export function Figures({ session, messages }: { session: SessionShown; messages: readonly Message[] }) {
  const { session: words, sessions, codes } = useWords();
  const { dateTime } = useFormats();
  const sorted = waits(messages);
  const [typical, slowest] = [middle(sorted), sorted.at(-1)];
  const turns = new Set(messages.flatMap(({ turn }) => (turn > 0 ? [turn] : []))).size;
  const figures: [string, string | undefined][] = [
    [sessions.started, session.startedAt ? dateTime(session.startedAt) : undefined],
    [words.duration, lengthOf(session.durationSeconds)],
    [words.billed, lengthOf(session.billedSeconds)],
    [words.turns, String(turns)],
    [words.tools, String(session.toolCalls.length)],
    [words.typical, typical === undefined ? undefined : milliseconds(typical)],
    [words.slowest, slowest === undefined ? undefined : milliseconds(slowest)],
    [words.sentiment, session.sentiment ? named(codes.sentiment, session.sentiment) : undefined],
    [words.ended, session.endReason ? named(codes.endReason, session.endReason) : undefined],
  ];
  return (
    <dl class="figures">
      {figures.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const lengthOf = (seconds: number | null): string | undefined => (seconds === null ? undefined : duration(seconds));
