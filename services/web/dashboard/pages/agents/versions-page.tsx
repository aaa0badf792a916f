import { useAccount, useHere } from '../../account/use-account.ts';
import { Badge } from '../../parts/badge.tsx';
import { ListState, More, useList } from '../../parts/list.tsx';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { AgentFrame } from './agent-frame.tsx';

export function VersionsPage({ params: { agent = '' } }: TenantPageProps) {
  return <AgentFrame agent={agent}>{() => <Versions agent={agent} />}</AgentFrame>;
}

function Versions({ agent }: { agent: string }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const list = useList(['versions', tenancy.id, agent], (cursor) => api.versions(tenancy.id, agent, { cursor }));
  const base = `/t/${tenancy.slug}/agents/${agent}/versions`;
  return (
    <>
      <ListState list={list} />
      {list.items.length > 0 && (
        <div class="table-box">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">{agents.version}</th>
                <th scope="col">{agents.state}</th>
                <th scope="col">{agents.changed}</th>
                <th scope="col" class="wide-only">
                  {agents.commit}
                </th>
                <th scope="col">{agents.created}</th>
              </tr>
            </thead>
            <tbody>
              {list.items.map((item) => (
                <tr key={item.version}>
                  <th scope="row">
                    <a class="row-link" href={`${base}/${item.version}`}>
                      <code>{item.version}</code>
                    </a>
                  </th>
                  <td>
                    {item.state ? (
                      <Badge tone={item.state === 'live' ? 'good' : 'plain'}>{agents.states[item.state]}</Badge>
                    ) : (
                      <span class="quiet">{agents.replaced}</span>
                    )}
                  </td>
                  <td>{item.changed || <span class="quiet">{agents.first}</span>}</td>
                  <td class="wide-only">{item.commit && <code>{item.commit.slice(0, 12)}</code>}</td>
                  <td>
                    <When at={item.createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
    </>
  );
}
