/** Times as people say them, in English and German. */

const numberWords: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  ein: 1,
  eins: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  sechs: 6,
  sieben: 7,
  acht: 8,
  neun: 9,
  zehn: 10,
  elf: 11,
  zwölf: 12,
};

/** Minutes before or after the hour that is named; half past is after it, the German halb before it. */
const parts: Readonly<Record<string, number>> = {
  'half past': 30,
  'quarter past': 15,
  'quarter to': -15,
  halb: -30,
  'viertel nach': 15,
  'viertel vor': -15,
  dreiviertel: -15,
};

const noon = 12 * 60;
const dayMinutes = 24 * 60;

/**
 * The time meant by `text`, as 19:30; undefined when it names none. An hour up to eleven without am or pm is in the
 * evening: nobody books a table for the night. Only `07:30`, with its zero, is the morning.
 */
export function understandTime(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(?:at|around|about|um|gegen|ab)\s+/, '')
    .replace(/\./g, ':');
  if (/^(?:noon|midday|mittags?)$/.test(words)) return clock(noon);
  const minutes = spoken(words) ?? written(words);
  return minutes === undefined ? undefined : clock(minutes);
}

function spoken(words: string): number | undefined {
  const pattern = new RegExp(
    `^(?:(${Object.keys(parts).join('|')}) )?(\\p{L}+|\\d{1,2})(?: ?(?:uhr|o''?clock))?$`,
    'u',
  );
  const [, part, hourText = ''] = pattern.exec(words) ?? [];
  const hour = numberWords[hourText] ?? (part ? Number(hourText) : Number.NaN);
  if (!Number.isInteger(hour) || hour > 24) return undefined;
  return evening(hour) * 60 + (part ? (parts[part] ?? 0) : 0);
}

function written(words: string): number | undefined {
  const match = /^(\d{1,2})(?::(\d{2}))? ?(am|pm|a:m:|p:m:|o'?clock|uhr(?: (\d{2}))?)?$/.exec(words);
  if (!match) return undefined;
  const [, hourText = '', minuteText, suffix = '', afterUhr] = match;
  const hour = Number(hourText);
  const minute = Number(minuteText ?? afterUhr ?? 0);
  if (hour > 23 || minute > 59) return undefined;
  if (/^[ap]/.test(suffix))
    return hour < 1 || hour > 12 ? undefined : ((hour % 12) + (suffix[0] === 'p' ? 12 : 0)) * 60 + minute;
  return (hourText.startsWith('0') ? hour : evening(hour)) * 60 + minute;
}

const evening = (hour: number) => (hour >= 1 && hour <= 11 ? hour + 12 : hour);

function clock(minutes: number): string | undefined {
  if (minutes < 0 || minutes >= dayMinutes) return undefined;
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
