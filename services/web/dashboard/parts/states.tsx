import type { ComponentChildren } from 'preact';
import { Problem } from '../../design/problem.tsx';
import { refusalInWords, useWords } from '../words/use-words.ts';

/** Lines in the place of what is not there yet. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const { loading } = useWords();
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} aria-hidden="true" style={{ width: `${widths[index % widths.length]}%` }} />
      ))}
    </div>
  );
}

const widths = [96, 88, 92, 70, 84, 78];

/** Why there is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failed({ error, onAgain }: { error: unknown; onAgain?(): void }) {
  const words = useWords();
  const again = onAgain ? { action: words.problem.again, onAction: onAgain } : {};
  return <Problem message={refusalInWords(error, words)} {...again} />;
}
