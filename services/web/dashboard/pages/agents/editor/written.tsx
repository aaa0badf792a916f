import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { ApiProblem } from '../../../../client/request.ts';
import type { Change } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Failed } from '../../../parts/states.tsx';
import { useWords } from '../../../words/use-words.ts';
import { Places } from '../refused.tsx';
import { ChangeBadge, isUnderWay } from './change-state.tsx';

/** While something may become of a change it is looked at so often. */
const everyMs = 2_000;

/** What became of a change: written, refused, live; followed until nothing more comes of it by itself. */
export function Written({ change: first, onConflict }: { change: Change; onConflict(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents, editor, webhook } = useWords();
  const queries = useQueryClient();
  const { data: change = first, error } = useQuery({
    queryKey: ['change', tenancy.id, first.id],
    queryFn: () => api.changeOf(tenancy.id, first.id),
    initialData: first,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? everyMs : false),
  });
  const isLost = change.problem?.code === 'prompt_conflict';
  useEffect(() => {
    if (isLost) onConflict();
  }, [isLost]);
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['agent', tenancy.id, change.agent] });
    void queries.invalidateQueries({ queryKey: ['changes', tenancy.id, change.agent] });
    if (change.kind === 'webhook') void queries.invalidateQueries({ queryKey: ['webhook', tenancy.id] });
  }, [change.state, change.activation]);
  const place = `/t/${tenancy.slug}/agents/${change.agent}`;
  return (
    <section class="card" aria-labelledby="change">
      <div class="card-head">
        <h2 id="change">{change.message}</h2>
        <span aria-live="polite">
          <ChangeBadge change={change} />
        </span>
      </div>
      {error && <Failed error={error} />}
      {change.problem && <Failed error={new ApiProblem(409, change.problem.code, change.problem.message)} />}
      {change.problem?.details.map(({ path, message }) => (
        <p key={`${path} ${message}`}>
          <code>{path}</code> {message}
        </p>
      ))}
      {change.fellBack && <p>{editor.fellBack}</p>}
      <Next change={change} />
      <Places places={change.reasons} />
      <div class="actions">
        {change.link && (
          <a class="button primary" href={change.link} target="_blank" rel="noreferrer">
            {editor.openProposal}
          </a>
        )}
        {change.kind === 'webhook' && (
          <a class="button" href={`/t/${tenancy.slug}/webhook`}>
            {webhook.title}
          </a>
        )}
        <a class="button" href={place}>
          {editor.toAgent}
        </a>
        <a class="button" href={`${place}/versions`}>
          {agents.versions}
        </a>
      </div>
    </section>
  );
}

/** Where it is, and what happens next. */
function Next({ change }: { change: Change }) {
  const { editor } = useWords();
  if (change.state !== 'written') return null;
  return (
    <p>
      {change.branch && (
        <>
          {editor.branch} <code>{change.branch}</code>
          {change.commit && (
            <>
              {', '}
              <code>{change.commit.slice(0, 12)}</code>
            </>
          )}
          {'. '}
        </>
      )}
      {editor.next[change.activation ?? 'pending']}
    </p>
  );
}
