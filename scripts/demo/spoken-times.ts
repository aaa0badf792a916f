/** Days and times as guests say them, in English and German: a demo on rules has no model that would work them out. */

/** 2026-11-24 for "tomorrow", "Freitag", "24.11." or "24 November"; undefined for anything else. Days lie ahead. */
export function readDay(text: string, now: Date, timezone: string): string | undefined {
  const today = new Date(`${now.toLocaleDateString('sv-SE', { timeZone: timezone })}T00:00:00Z`);
  const spoken = text.trim().toLowerCase();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(spoken);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  return relativeDay(spoken, today) ?? weekday(spoken, today) ?? calendarDay(spoken, today);
}

/** 19:30 for "7:30 pm", "halb acht", "19 Uhr 30" or "half past seven"; hours up to nine alone are in the evening. */
export function readTime(text: string): string | undefined {
  const spoken = text
    .trim()
    .toLowerCase()
    .replaceAll('.m.', 'm')
    .replace(/^(?:at|around|um|gegen|ab) /, '');
  if (/^(?:noon|midday|mittags?)$/.test(spoken)) return '12:00';
  const match =
    /^(half past |quarter past |quarter to |halb |viertel nach |viertel vor |dreiviertel )?(\p{L}+|\d{1,2})(?:[:.](\d{2}))? ?(am|pm|uhr|o'?clock)? ?(\d{2})?$/u.exec(
      spoken,
    );
  if (!match) return undefined;
  const [, shift = '', hourText = '', minuteText, suffix, minuteAfter] = match;
  const hour = /^\d/.test(hourText) ? Number(hourText) : hours.get(hourText);
  if (hour === undefined) return undefined;
  const minutes =
    inEvening(hour, hourText, suffix) * 60 + Number(minuteText ?? minuteAfter ?? 0) + (shifts.get(shift.trim()) ?? 0);
  const time = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time) ? time : undefined;
}

function inEvening(hour: number, written: string, suffix: string | undefined): number {
  if (suffix === 'am' || written.startsWith('0')) return hour % 12;
  if (suffix === 'pm') return (hour % 12) + 12;
  return hour >= 1 && hour <= 9 ? hour + 12 : hour;
}

const shifts = new Map([
  ['half past', 30],
  ['quarter past', 15],
  ['quarter to', -15],
  ['halb', -30],
  ['viertel nach', 15],
  ['viertel vor', -15],
  ['dreiviertel', -15],
]);

const hours = new Map(
  [
    ['one', 'eins', 'ein'],
    ['two', 'zwei'],
    ['three', 'drei'],
    ['four', 'vier'],
    ['five', 'fünf'],
    ['six', 'sechs'],
    ['seven', 'sieben'],
    ['eight', 'acht'],
    ['nine', 'neun'],
    ['ten', 'zehn'],
    ['eleven', 'elf'],
    ['twelve', 'zwölf', 'noon'],
  ].flatMap((words, index) => words.map((word): [string, number] => [word, index + 1])),
);

const dayMs = 86_400_000;

const daysAfter = (today: Date, days: number): string =>
  new Date(today.getTime() + days * dayMs).toISOString().slice(0, 10);

function relativeDay(spoken: string, today: Date): string | undefined {
  if (/^(?:today|tonight|heute)/.test(spoken)) return daysAfter(today, 0);
  if (/^(?:tomorrow|morgen)/.test(spoken)) return daysAfter(today, 1);
  if (/^(?:the )?day after tomorrow|^übermorgen/.test(spoken)) return daysAfter(today, 2);
  return undefined;
}

const weekdays = [
  /sunday|sonntag/,
  /monday|montag/,
  /tuesday|dienstag/,
  /wednesday|mittwoch/,
  /thursday|donnerstag/,
  /friday|freitag/,
  /saturday|samstag|sonnabend/,
];

/** The next such day, today included; "next" is not taken for a week later. */
function weekday(spoken: string, today: Date): string | undefined {
  const wanted = weekdays.findIndex((name) => name.test(spoken));
  return wanted === -1 ? undefined : daysAfter(today, (wanted - today.getUTCDay() + 7) % 7);
}

const months = [
  /^jan/,
  /^feb/,
  /^m(?:ar|är)/,
  /^apr/,
  /^ma[iy]/,
  /^jun/,
  /^jul/,
  /^aug/,
  /^sep/,
  /^o[ck]t/,
  /^nov/,
  /^de[cz]/,
];

/** A day of the year without or with the year; one that is over this year is meant for the next. */
function calendarDay(spoken: string, today: Date): string | undefined {
  const numbers = /^(\d{1,2})\. ?(\d{1,2})\.? ?(\d{4})?$/.exec(spoken);
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(\p{L}+)$/u.exec(spoken);
  const monthFirst = /^(\p{L}+) (\d{1,2})(?:st|nd|rd|th)?$/u.exec(spoken);
  const day = Number(numbers?.[1] ?? dayFirst?.[1] ?? monthFirst?.[2]);
  const month = numbers
    ? Number(numbers[2])
    : months.findIndex((name) => name.test(dayFirst?.[2] ?? monthFirst?.[1] ?? '')) + 1;
  const year = today.getUTCFullYear();
  if (numbers?.[3] !== undefined) return dayOf(Number(numbers[3]), month, day);
  const thisYear = dayOf(year, month, day);
  return thisYear === undefined || thisYear >= daysAfter(today, 0) ? thisYear : dayOf(year + 1, month, day);
}

/** JavaScript's dates turn 31 February into March, so the day must come back as it went in. */
function dayOf(year: number, month: number, day: number): string | undefined {
  if (!(year > 0 && month > 0 && day > 0)) return undefined;
  const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
