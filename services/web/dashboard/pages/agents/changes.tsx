import { useQuery } from '@tanstack/preact-query';
import { isAtLeast } from '../../../../contract/roles.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import { ChangeBadge, isUnderWay } from './editor/change-state.tsx';
import { Places } from './refused.tsx';

const mostShown = 5;
const underWayEveryMs = 3_000;

/** What people asked to have changed of an agent's file, and what came of it. */
export function Changes({ agent }: { agent: string }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { editor } = useWords();
  const { data } = useQuery({
    queryKey: ['changes', tenancy.id, agent],
    queryFn: () => api.changes(tenancy.id, { agent, limit: mostShown }),
    enabled: isAtLeast(tenancy.role, 'editor'),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? underWayEveryMs : false),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <section class="card" aria-labelledby="changes">
      <h2 id="changes">{editor.changes}</h2>
      <ul class="changes">
        {data.items.map((change) => (
          <li key={change.id}>
            <p>
              <ChangeBadge change={change} /> {change.message}
            </p>
            <p class="quiet">
              {change.person.name} · <When at={change.createdAt} />
              {change.link && change.activation === 'pending' && (
                <>
                  {' · '}
                  <a href={change.link} target="_blank" rel="noreferrer">
                    {editor.openProposal}
                  </a>
                </>
              )}
            </p>
            {change.problem && <p class="quiet">{change.problem.message}</p>}
            <Places places={change.reasons} />
          </li>
        ))}
      </ul>
    </section>
  );
}
