import type { NumberShown } from '../../account/account-api.ts';
import type { Words } from '../../words/english.ts';

/** Opening hours in a line: `Mon, Tue 09:00–17:00 (Europe/Berlin)`. */
export function hoursInWords(hours: NumberShown['hours'], { always, days }: Words['telephone']): string {
  if (hours === 'always') return always;
  const spans = hours.open.map((span) => `${span.days.map((day) => days[day]).join(', ')} ${span.from}–${span.to}`);
  return `${spans.join('; ')} (${hours.zone})`;
}
