import { useQuery } from '@tanstack/preact-query';
import type { Agent } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useFormats, useWords } from '../../words/use-words.ts';
import { RefusedRevision } from './refused.tsx';
import { Unreadable } from './unreadable.tsx';

export function AgentsPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['agents', tenancy.id],
    queryFn: () => api.agents(tenancy.id),
  });
  const shown = data?.items.filter(({ state }) => state !== 'deleted') ?? [];
  return (
    <Page title={agents.title} intro={agents.intro}>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data?.unreadable && <Unreadable source={data.unreadable} />}
      {data && <RefusedRevision revision={data.newestRevision} />}
      {data && shown.length === 0 && (
        <Empty title={agents.none}>
          <p class="quiet">{agents.noneHow}</p>
        </Empty>
      )}
      {shown.length > 0 && <AgentTable items={shown} base={`/t/${tenancy.slug}/agents`} />}
    </Page>
  );
}

function AgentTable({ items, base }: { items: readonly Agent[]; base: string }) {
  const { agents } = useWords();
  return (
    <div class="table-box">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{agents.name}</th>
            <th scope="col">{agents.state}</th>
            <th scope="col" class="wide-only">
              {agents.languages}
            </th>
            <th scope="col" class="wide-only">
              {agents.model}
            </th>
            <th scope="col">{agents.version}</th>
            <th scope="col" class="figure wide-only">
              {agents.tokens}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((agent) => (
            <AgentRow key={agent.agent} agent={agent} base={base} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AgentRow({ agent, base }: { agent: Agent; base: string }) {
  const { number } = useFormats();
  return (
    <tr>
      <th scope="row">
        <span class="two-lines">
          <a class="row-link" href={`${base}/${agent.agent}`}>
            {agent.name}
          </a>
          <small class="quiet">{agent.agent}</small>
        </span>
      </th>
      <td>
        <AgentStateBadge agent={agent} />
      </td>
      <td class="wide-only">{agent.languages.map(({ name }) => name).join(', ')}</td>
      <td class="wide-only">{[agent.model.provider, agent.model.name].filter(Boolean).join(' · ')}</td>
      <td>
        <code>{agent.version}</code>
      </td>
      <td class="figure wide-only">{number(agent.instructionTokens)}</td>
    </tr>
  );
}

const tones: Record<Agent['state'], Tone> = { live: 'good', disabled: 'busy', deleted: 'plain' };

export function AgentStateBadge({ agent: { state, refused } }: { agent: Pick<Agent, 'state' | 'refused'> }) {
  const { agents } = useWords();
  if (refused.length > 0) return <Badge tone="bad">{agents.changeRefused}</Badge>;
  return <Badge tone={tones[state]}>{agents.states[state]}</Badge>;
}
