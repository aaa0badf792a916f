import { type ComponentChildren, h } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { useWords } from '../words/use-words.ts';

/** A fault of ours costs the page, not the browser's window: it says so, and offers to load again. */
export function Boundary({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary((fault) => console.error(fault));
  const { problem } = useWords();
  if (!error) return h('div', { class: 'contents' }, children);
  return (
    <main class="alone">
      <h1>{problem.broken}</h1>
      <p class="quiet">{problem.brokenHow}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {problem.reload}
      </button>
    </main>
  );
}
