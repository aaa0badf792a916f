import type { Analytics } from '../../account/account-api.ts';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';

/** The figures that one looks for first. */
export function Headline({ analytics: { totals, tools } }: { analytics: Analytics }) {
  const { overview } = useWords();
  const { number, percent } = useFormats();
  const { conversations, billedSeconds, completed, outcomes, latency } = totals;
  const share = (count: number) => (conversations === 0 ? '–' : percent(count / conversations));
  const failed = tools.reduce((sum, tool) => sum + tool.failed + tool.unknown, 0);
  const called = tools.reduce((sum, tool) => sum + tool.ok + tool.failed + tool.unknown, 0);
  const { response } = latency;
  const figures = [
    { name: overview.conversations, value: number(conversations) },
    { name: overview.minutes, value: number(Math.round(billedSeconds / 6) / 10), note: overview.billed },
    { name: overview.completed, value: share(completed) },
    { name: overview.resolved, value: share(outcomes.resolved) },
    {
      name: overview.response,
      value: response ? milliseconds(response.p50) : '–',
      note: response ? `p95 ${milliseconds(response.p95)}` : '',
    },
    { name: overview.toolsFailed, value: number(failed), note: overview.ofCalls(number(called)) },
  ];
  return (
    <dl class="headline">
      {figures.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
