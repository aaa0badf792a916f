import { useTitle } from '../parts/page.tsx';
import { useWords } from '../words/use-words.ts';

export function NotFound() {
  const { problem } = useWords();
  useTitle(problem.notFound);
  return (
    <main class="alone">
      <h1>{problem.notFound}</h1>
      <p class="quiet">{problem.notFoundHow}</p>
      <a class="button" href="/">
        {problem.home}
      </a>
    </main>
  );
}
