import { Empty } from '../../parts/states.tsx';
import { hasTryPage } from '../../shell/try-page.ts';
import { useWords } from '../../words/use-words.ts';

/** Nothing is here yet: how there will be. */
export function FirstConversation() {
  const { sessions, nav } = useWords();
  return (
    <Empty title={sessions.none}>
      <p class="quiet">{sessions.noneHow}</p>
      {hasTryPage() ? (
        <a class="button primary" href="/try/" target="_blank" rel="noopener">
          {nav.tryIt}
        </a>
      ) : (
        <p class="quiet">{sessions.noneByApi}</p>
      )}
    </Empty>
  );
}
