import type { TurnTiming } from '../../../../contract/session.ts';
import { waitOf as partsOfWait } from '../../../try/views/turn-times.tsx';
import { milliseconds } from '../../words/formats.ts';
import { useWords } from '../../words/use-words.ts';

/** What the person waited for before an answer: a bar as long as each part took, and the same in words. */
export function Stages({ timing }: { timing: TurnTiming }) {
  const { session } = useWords();
  const names: Record<string, string> = {
    'end of speech': session.endpointing,
    recognition: session.recognition,
    model: session.firstToken,
    voice: session.voice,
  };
  const parts = partsOfWait(timing);
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  const tools = timing.tools ? [`${session.toolTime} ${milliseconds(timing.tools)}`] : [];
  const told = [...parts.map(({ name, ms }) => `${names[name] ?? name} ${milliseconds(ms)}`), ...tools];
  return (
    <p class="stages">
      <span class="stage-bar" aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <i key={name} data-part={name} style={{ flexGrow: ms }} />
        ))}
      </span>
      <span>
        {session.answeredIn(milliseconds(total))}
        {told.length > 1 && <span class="quiet"> · {told.join(' · ')}</span>}
      </span>
    </p>
  );
}
