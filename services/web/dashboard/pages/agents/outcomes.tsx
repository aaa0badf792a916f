import { useQuery } from '@tanstack/preact-query';
import type { Analytics } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';

type Compared = NonNullable<Analytics['compared']>[number];

const days = 90;
const dayMs = 86_400_000;

/** How conversations with two versions went, with the sizes of both samples; nothing where neither had any. */
export function Outcomes({ agent, versions }: { agent: string; versions: readonly [string, string] }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const { data } = useQuery({
    queryKey: ['compared', tenancy.id, agent, ...versions],
    queryFn: () => {
      // By the day: the answer of a minute ago is as good.
      const from = new Date(Math.floor(Date.now() / dayMs - days) * dayMs).toISOString();
      return api.analytics(tenancy.id, { agent, compare: versions.join(','), from });
    },
  });
  const rows = useRows();
  const compared = data?.compared ?? [];
  if (compared.every(({ conversations }) => conversations === 0)) return null;
  return (
    <section class="section" aria-labelledby="outcomes">
      <h2 id="outcomes">{agents.outcomes(days)}</h2>
      <div class="table-box">
        <table class="small">
          <thead>
            <tr>
              <th scope="col">{agents.figure}</th>
              {compared.map(({ version }) => (
                <th scope="col" class="figure" key={version}>
                  <code>{version}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, of }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {compared.map((one) => (
                  <td class="figure" key={one.version}>
                    {of(one)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{agents.outcomesHow}</p>
    </section>
  );
}

function useRows(): { name: string; of(one: Compared): string }[] {
  const { overview, agents, codes } = useWords();
  const { number, percent } = useFormats();
  const share = (count: number, { conversations }: Compared) =>
    conversations === 0 ? '–' : percent(count / conversations);
  return [
    { name: agents.sample, of: ({ conversations }) => number(conversations) },
    { name: overview.resolved, of: (one) => share(one.outcomes.resolved, one) },
    { name: codes.outcome.transferred, of: (one) => share(one.outcomes.transferred, one) },
    { name: overview.completed, of: (one) => share(one.completed, one) },
    { name: codes.sentiment.negative, of: (one) => share(one.sentiments.negative, one) },
    { name: `${overview.response} p50`, of: ({ latency }) => shownTime(latency.response?.p50) },
    { name: `${overview.response} p95`, of: ({ latency }) => shownTime(latency.response?.p95) },
    {
      name: overview.toolsFailed,
      of: ({ tools }) => number(tools.reduce((sum, tool) => sum + tool.failed + tool.unknown, 0)),
    },
  ];
}

const shownTime = (ms: number | undefined): string => (ms === undefined ? '–' : milliseconds(ms));
