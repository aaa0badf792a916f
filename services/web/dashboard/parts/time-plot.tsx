import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { useSpoken } from '../words/use-words.ts';
import type { ChartLine, ChartProps } from './chart-props.ts';

const height = 200;
const axisWidth = 62;
const bucketSeconds = { hour: 3_600, day: 86_400 };

/** The drawing of a chart, as wide as its place; drawn anew when that, the colours or the figures change. */
export function TimePlot({ bucket, at, lines, tell }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { language, formats } = useSpoken();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const zone = bucket === 'day' ? 'UTC' : formats.timeZone;
    const draw = () =>
      new UPlot(optionsFor(element, { zone, language, bucket, lines, tell }), dataOf(at, lines), element);
    let plot = draw();
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      resized.disconnect();
      plot.destroy();
    };
  }, [at, lines, tell, bucket, language, formats]);
  return <div ref={place} />;
}

const dataOf = (at: number[], lines: ChartLine[]): UPlot.AlignedData => [at, ...lines.map(({ values }) => values)];

type Drawn = Pick<ChartProps, 'bucket' | 'lines' | 'tell'> & { zone: string; language: string };

function optionsFor(element: HTMLElement, { zone, language, bucket, lines, tell }: Drawn): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => resolved(element, `var(--${name})`);
  const axis = {
    stroke: colour('ink-quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('line-soft'), width: 1 },
    ticks: { show: false },
  };
  const time: Intl.DateTimeFormatOptions =
    bucket === 'day' ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const format = new Intl.DateTimeFormat(language, { timeZone: zone, ...time });
  const besides = bucketSeconds[bucket] * 0.55;
  return {
    width: element.clientWidth,
    height,
    tzDate: (second) => UPlot.tzDate(new Date(second * 1000), zone),
    cursor: { drag: { x: false, y: false } },
    legend: { show: false },
    // Half a bucket on each side, for the bars of the first and the last. From nothing up: half a chart makes a small change look large.
    scales: {
      x: { range: (_plot, first, last) => [first - besides, last + besides] },
      y: { range: (_plot, _least, most) => [0, Math.max(most ?? 0, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 32,
        values: (_plot, ticks) => ticks.map((second) => format.format(second * 1000)),
      },
      { ...axis, size: axisWidth, space: 40, incrs: whole, values: (_plot, ticks) => ticks.map(tell) },
    ],
    series: [{}, ...lines.map((line) => seriesOf(line, colour))],
  };
}

/** Steps of the upright axis: nothing that is counted comes in halves. */
const whole = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];

function seriesOf({ name, kind }: ChartLine, colour: (name: string) => string): UPlot.Series {
  const stroke = kind === 'faint' ? colour('control-line') : colour('accent');
  if (kind !== 'bars')
    return { label: name, stroke, width: 2, spanGaps: true, points: { show: true, size: 6, fill: stroke } };
  const bars = UPlot.paths.bars?.({ size: [0.7, 36], radius: 0.15 });
  return { label: name, stroke, fill: stroke, width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) };
}

/** What a colour is in the theme of now: a canvas knows neither variables nor light-dark(). */
function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('i');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
