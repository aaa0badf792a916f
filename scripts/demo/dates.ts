/** Days as people say them, in English and German. Days are texts such as 2026-11-24. */

const weekdays: readonly (readonly string[])[] = [
  ['sunday', 'sonntag'],
  ['monday', 'montag'],
  ['tuesday', 'dienstag'],
  ['wednesday', 'mittwoch'],
  ['thursday', 'donnerstag'],
  ['friday', 'freitag'],
  ['saturday', 'samstag', 'sonnabend'],
];

/** The first three letters are enough to tell months apart. */
const months: readonly (readonly string[])[] = [
  ['jan', 'jän'],
  ['feb'],
  ['mar', 'mär'],
  ['apr'],
  ['may', 'mai'],
  ['jun'],
  ['jul'],
  ['aug'],
  ['sep'],
  ['oct', 'okt'],
  ['nov'],
  ['dec', 'dez'],
];

const offsets: Readonly<Record<string, number>> = {
  today: 0,
  tonight: 0,
  heute: 0,
  tomorrow: 1,
  morgen: 1,
  'day after tomorrow': 2,
  übermorgen: 2,
};

/** The day meant by `text` when it is `today`; undefined when it names none that exists. */
export function understandDay(text: string, today: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(?:on|am|the|den|dem)\s+/, '')
    .replace(/\s+(?:abend|mittag|evening|night)$/, '');
  const offset = offsets[words];
  if (offset !== undefined) return plusDays(today, offset);
  return weekday(words, today) ?? numbers(words, today) ?? monthByName(words, today);
}

function weekday(words: string, today: string): string | undefined {
  const [, next, name] = /^(next |this |nächsten |diesen )?(\p{L}+)$/u.exec(words) ?? [];
  const wanted = weekdays.findIndex((names) => name !== undefined && names.includes(name));
  if (wanted < 0) return undefined;
  const ahead = (wanted - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7;
  return plusDays(today, ahead === 0 && next?.startsWith('n') ? 7 : ahead);
}

function numbers(words: string, today: string): string | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(words);
  if (iso) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const german = /^(\d{1,2})\.\s?(\d{1,2})\.?\s?(\d{4})?$/.exec(words);
  if (!german) return undefined;
  return inYear(german[3], Number(german[2]), Number(german[1]), today);
}

function monthByName(words: string, today: string): string | undefined {
  const first = /^(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(\p{L}{3,9})\.?(?: (\d{4}))?$/u.exec(words);
  const last = /^(\p{L}{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$/u.exec(words);
  const [dayText, name = '', year] = first ? [first[1], first[2], first[3]] : [last?.[2], last?.[1], last?.[3]];
  const month = months.findIndex((names) => names.some((start) => name.startsWith(start)));
  return month < 0 ? undefined : inYear(year, month + 1, Number(dayText), today);
}

/** Without a year it is the next such day. */
function inYear(year: string | undefined, month: number, dayOfMonth: number, today: string): string | undefined {
  if (year) return day(Number(year), month, dayOfMonth);
  const thisYear = Number(today.slice(0, 4));
  const soon = day(thisYear, month, dayOfMonth);
  return soon !== undefined && soon >= today ? soon : day(thisYear + 1, month, dayOfMonth);
}

/** JavaScript's dates turn 31 February into March, so the day must come back as it went in. */
function day(year: number, month: number, dayOfMonth: number): string | undefined {
  const text = `${year}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

function plusDays(from: string, days: number): string {
  const date = new Date(`${from}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

const twoDigits = (number: number) => String(number).padStart(2, '0');
