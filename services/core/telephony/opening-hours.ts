import type { Day, OpeningHours, Span } from '../../contract/telephony.ts';

const days: readonly Day[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Whether calls are taken at this moment. Spans do not go past midnight: 22:00 to 06:00 is two of them. */
export function isOpen(hours: OpeningHours | null, at: Date): boolean {
  if (hours === null) return true;
  return isWithin(hours.open, localTime(at, hours.zone));
}

const isWithin = (spans: readonly Span[], { day, time }: { day: Day; time: string }): boolean =>
  spans.some((span) => span.days.includes(day) && span.from <= time && time < span.to);

/** As a clock on the wall there shows it: the day, and the time as 09:30. @throws RangeError for a zone that is none */
export function localTime(at: Date, zone: string): { day: Day; time: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  const weekday = part('weekday').toLowerCase();
  const day = days.find((name) => name === weekday);
  if (!day) throw new RangeError(`"${weekday}" is no day of the week`);
  return { day, time: `${part('hour')}:${part('minute')}` };
}
