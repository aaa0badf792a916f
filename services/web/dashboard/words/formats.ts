/** How times and figures read for a person, in their language and their time zone. */
export interface Formats {
  readonly timeZone: string;
  /** Day and minute: for lists. */
  dateTime(iso: string): string;
  /** To the second, with the zone: for a closer look. */
  exact(iso: string): string;
  /** To the millisecond, because figures are checked against it. */
  clock(iso: string): string;
  day(iso: string): string;
  /** "3 min ago". @param now in milliseconds since 1970 */
  ago(iso: string, now: number): string;
  number(value: number): string;
  percent(share: number): string;
}

export function makeFormats(language: string, timeZone: string): Formats {
  const of = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { timeZone, ...options });
    return (iso: string) => format.format(new Date(iso));
  };
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const numbers = new Intl.NumberFormat(language);
  const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return {
    timeZone,
    dateTime: of({ day: 'numeric', month: 'short', ...minute }),
    exact: of({ dateStyle: 'full', timeStyle: 'long' }),
    clock: of({ ...minute, second: '2-digit', fractionalSecondDigits: 3 }),
    day: of({ day: 'numeric', month: 'short', year: 'numeric' }),
    ago: (iso, now) => {
      const [count, unit] = largestUnit((Date.parse(iso) - now) / 1000);
      return relative.format(count, unit);
    },
    number: (value) => numbers.format(value),
    percent: (share) => shares.format(share),
  };
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function largestUnit(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  for (const [unit, length] of units) if (Math.abs(seconds) >= length) return [Math.trunc(seconds / length), unit];
  return [Math.trunc(seconds), 'second'];
}

/** `75` reads "1 min 15 s". */
export function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [
    hours && `${hours} h`,
    minutes && `${minutes} min`,
    (seconds % 60 || seconds === 0) && `${seconds % 60} s`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** Milliseconds as a person reads them: "840 ms", "1.4 s". */
export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
