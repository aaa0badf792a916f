import { problems } from '../../contract/problems.ts';

/** What a page of a list is asked for: its filters, and where it begins. */
export interface ListQuery<Name extends string> {
  /** A filter's value; undefined when it is not given. @throws Problem `invalid_request` */
  text(name: Name): string | undefined;
  /** The same, of a filter that takes one of a few words. @throws Problem `invalid_request` */
  choice<Choice extends string>(name: Name, choices: readonly Choice[]): Choice | undefined;
  /** The same, of a filter that takes an id. @throws Problem `invalid_request` */
  uuid(name: Name): string | undefined;
  /** The same, as ISO 8601 with milliseconds. @throws Problem `invalid_request` */
  time(name: Name): string | undefined;
  /** The number in a cursor that is one. @throws Problem `invalid_request` */
  number(): number | undefined;
  /** A cursor of another form. @throws Problem `invalid_request` */
  cursor(form: RegExp): string | undefined;
  limit: number;
}

const mostItems = 100;
const usualItems = 50;
const longest = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param names of the filters that the list has beside `limit` and `cursor`. @throws Problem `invalid_request` that names what can't be used */
export function listQuery<Name extends string>(
  query: Record<string, unknown>,
  names: readonly Name[],
): ListQuery<Name> {
  const all: readonly string[] = [...names, 'limit', 'cursor'];
  const unknown = Object.keys(query).find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw problems.invalidRequest(`"${unknown.slice(0, 50)}" is no filter. There are: ${all.join(', ')}.`);
  const text = (name: Name | 'limit' | 'cursor') => textOf(query[name], name);
  return {
    text,
    choice: (name, choices) => choiceOf(text(name), name, choices),
    uuid: (name) => matching(text(name), uuid, `"${name}" must be an id as the API gives them.`)?.toLowerCase(),
    time: (name) => timeOf(text(name), name),
    number: () => numberOf(cursorOf(text('cursor'), /^\d{1,15}$/)),
    cursor: (form) => cursorOf(text('cursor'), form),
    limit: limitOf(text('limit')),
  };
}

function textOf(given: unknown, name: string): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && given.length <= longest && !given.includes('\0')) return given;
  throw problems.invalidRequest(`"${name}" must be given once, with 1 to ${longest} characters.`);
}

function matching(given: string | undefined, form: RegExp, message: string): string | undefined {
  if (given === undefined || form.test(given)) return given;
  throw problems.invalidRequest(message);
}

function choiceOf<Choice extends string>(given: string | undefined, name: string, choices: readonly Choice[]) {
  if (given === undefined) return undefined;
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw problems.invalidRequest(`"${name}" must be one of ${choices.join(', ')}.`);
}

function timeOf(given: string | undefined, name: string): string | undefined {
  if (given === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) throw problems.invalidRequest(`"${name}" must be a time such as 2026-11-22T10:00:00Z.`);
  return new Date(time).toISOString();
}

const cursorOf = (given: string | undefined, form: RegExp) =>
  matching(given, form, '"cursor" is none of ours: give nextCursor of the page before, as it came.');

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

function limitOf(given: string | undefined): number {
  if (given === undefined) return usualItems;
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= mostItems) return limit;
  throw problems.invalidRequest(`"limit" must be a whole number from 1 to ${mostItems}.`);
}
