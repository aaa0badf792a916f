import { useEffect, useId, useState } from 'preact/hooks';
import { usePreferences } from '../shell/use-preferences.ts';
import { makeFormats } from '../words/formats.ts';
import { useSpoken, useWords } from '../words/use-words.ts';
import type { ChartProps } from './chart-props.ts';
import type { TimePlot } from './time-plot.tsx';

interface Props extends ChartProps {
  title: string;
  note?: string;
}

/** Values over time, drawn, and the same as a table for whoever does not see the drawing, or wants the figures. */
export function TimeChart({ title, note, ...chart }: Props) {
  const { overview } = useWords();
  const { preferences } = usePreferences();
  const Plot = usePlot();
  const id = useId();
  return (
    <section class="card chart" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {chart.lines.length > 1 && (
          <ul class="legend" aria-hidden="true">
            {chart.lines.map(({ name, kind }) => (
              <li key={name} data-kind={kind}>
                {name}
              </li>
            ))}
          </ul>
        )}
      </div>
      {note && <p class="quiet">{note}</p>}
      <div class="plot" aria-hidden="true">
        {Plot && <Plot key={preferences.theme} {...chart} />}
      </div>
      <details>
        <summary>{overview.asTable}</summary>
        <ChartTable {...chart} />
      </details>
    </section>
  );
}

/** The drawing library comes with the first chart, not with the first page. */
function usePlot(): typeof TimePlot | undefined {
  const [loaded, setLoaded] = useState<{ plot: typeof TimePlot }>();
  useEffect(() => {
    import('./time-plot.tsx').then(({ TimePlot: plot }) => setLoaded({ plot }));
  }, []);
  return loaded?.plot;
}

function ChartTable({ at, lines, tell, bucket }: ChartProps) {
  const { overview } = useWords();
  const { language, formats } = useSpoken();
  // Days are the service's, which are those of UTC.
  const told = bucket === 'day' ? makeFormats(language, 'UTC').day : formats.dateTime;
  return (
    <div class="table-box flat">
      <table class="small">
        <thead>
          <tr>
            <th scope="col">{overview.buckets[bucket]}</th>
            {lines.map(({ name }) => (
              <th scope="col" class="figure" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((second, index) => (
            <tr key={second}>
              <th scope="row">{told(new Date(second * 1000).toISOString())}</th>
              {lines.map(({ name, values }) => {
                const value = values[index];
                return (
                  <td class="figure" key={name}>
                    {typeof value === 'number' ? tell(value) : '–'}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
