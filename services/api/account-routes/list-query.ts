import { problems } from '../../contract/problems.ts';
import { choiceIn, knownOnly, limitIn, type Query, textIn, timeIn } from './query.ts';

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
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @param names of the filters that the list has beside `limit` and `cursor`. @throws Problem `invalid_request` that names what can't be used */
export function listQuery<Name extends string>(query: Query, names: readonly Name[]): ListQuery<Name> {
  knownOnly(query, [...names, 'limit', 'cursor']);
  const text = (name: Name | 'cursor') => textIn(query, name);
  return {
    text,
    choice: (name, choices) => choiceIn(query, name, choices),
    uuid: (name) => matching(text(name), uuid, `"${name}" must be an id as the API gives them.`)?.toLowerCase(),
    time: (name) => timeIn(query, name)?.toISOString(),
    number: () => numberOf(cursorOf(text('cursor'), /^\d{1,15}$/)),
    cursor: (form) => cursorOf(text('cursor'), form),
    limit: limitIn(query, { usual: usualItems, most: mostItems }),
  };
}

function matching(given: string | undefined, form: RegExp, message: string): string | undefined {
  if (given === undefined || form.test(given)) return given;
  throw problems.invalidRequest(message);
}

const cursorOf = (given: string | undefined, form: RegExp) =>
  matching(given, form, '"cursor" is none of ours: give nextCursor of the page before, as it came.');

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
