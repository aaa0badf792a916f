import type { RefusedPlace, Revision } from '../../account/account-api.ts';
import { useWords } from '../../words/use-words.ts';

/** Why the agents' files as they are now are not live, each reason with its place. */
export function RefusedRevision({ revision }: { revision: Revision | null }) {
  const { agents } = useWords();
  if (revision?.state !== 'refused') return null;
  return (
    <section class="problem refused" aria-labelledby="refused">
      <h2 id="refused">{agents.refused}</h2>
      <p>
        {agents.refusedHow} {[revision.commit?.slice(0, 12), revision.subject].filter(Boolean).join(' ')}
      </p>
      <Places places={revision.reasons} leftOut={revision.reasonsLeftOut} />
    </section>
  );
}

export function Places({ places, leftOut = 0 }: { places: readonly RefusedPlace[]; leftOut?: number }) {
  const { agents } = useWords();
  return (
    <>
      <ul class="places">
        {places.map(({ file, line, column, message }) => (
          <li key={`${file}:${line}:${column} ${message}`}>
            <code>
              {file}:{line}:{column}
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p>{agents.andMore(leftOut)}</p>}
    </>
  );
}
