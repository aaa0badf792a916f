import type { Analytics } from '../../account/account-api.ts';
import { TimeChart } from '../../parts/time-chart.tsx';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';

/** How it went over time. */
export function Charts({ analytics: { series, bucket } }: { analytics: Analytics }) {
  const { overview } = useWords();
  const { number } = useFormats();
  const at = series.map((point) => Date.parse(point.at) / 1000);
  return (
    <div class="charts">
      <TimeChart
        title={overview.conversationsOver[bucket]}
        bucket={bucket}
        at={at}
        tell={number}
        lines={[{ name: overview.conversations, kind: 'bars', values: series.map((point) => point.conversations) }]}
      />
      <TimeChart
        title={overview.responseOver}
        note={overview.responseHow}
        bucket={bucket}
        at={at}
        tell={milliseconds}
        lines={[
          { name: 'p50', kind: 'line', values: series.map(({ response }) => response?.p50 ?? null) },
          { name: 'p95', kind: 'faint', values: series.map(({ response }) => response?.p95 ?? null) },
        ]}
      />
    </div>
  );
}
