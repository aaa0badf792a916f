import type { UnreadableSource } from '../../account/account-api.ts';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';

/** That the place the agents' files come from can't be read, why, and since when. */
export function Unreadable({ source: { source, reason, since } }: { source: UnreadableSource }) {
  const { agents } = useWords();
  return (
    <section class="problem" aria-labelledby="unreadable">
      <h2 id="unreadable">{agents.unreadable}</h2>
      <p>{agents.unreadableHow}</p>
      <p>
        <code>{source}</code>
      </p>
      <p>
        <code>{reason}</code>
      </p>
      <p class="quiet">
        {agents.unreadableSince} <When at={since} />
      </p>
    </section>
  );
}
