import { useWords } from '../../words/use-words.ts';

/** What the agent noted with its tool `collect`. */
export function Collected({ collected }: { collected: Record<string, unknown> }) {
  const { session } = useWords();
  const noted = Object.entries(collected);
  if (noted.length === 0) return null;
  return (
    <section class="card" aria-labelledby="collected">
      <h2 id="collected">{session.collected}</h2>
      <dl class="facts">
        {noted.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
