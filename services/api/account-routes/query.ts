import { problems } from '../../contract/problems.ts';

/** The parameters of an address, as they came. */
export type Query = Record<string, unknown>;

const longest = 200;

/** @throws Problem `invalid_request` that names a parameter that is none of these */
export function knownOnly(query: Query, names: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw problems.invalidRequest(`"${unknown.slice(0, 50)}" is no filter. There are: ${names.join(', ')}.`);
}

/** @throws Problem `invalid_request` */
export function textIn(query: Query, name: string): string | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && given.length <= longest && !given.includes('\0')) return given;
  throw problems.invalidRequest(`"${name}" must be given once, with 1 to ${longest} characters.`);
}

/** @throws Problem `invalid_request` that lists what there is */
export function choiceIn<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given = textIn(query, name);
  if (given === undefined) return undefined;
  const choice = choices.find((one) => one === given);
  if (choice !== undefined) return choice;
  throw problems.invalidRequest(`"${name}" must be one of ${choices.join(', ')}.`);
}

/** @throws Problem `invalid_request` */
export function timeIn(query: Query, name: string): Date | undefined {
  const given = textIn(query, name);
  if (given === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) throw problems.invalidRequest(`"${name}" must be a time such as 2026-11-22T10:00:00Z.`);
  return new Date(time);
}

/** The beginning of a version's or commit's hash. @throws Problem `invalid_request` */
export function hashIn(query: Query, name: string): string | undefined {
  const given = textIn(query, name);
  if (given === undefined || /^[0-9a-f]{7,64}$/.test(given)) return given;
  throw problems.invalidRequest(`"${name}" must be 7 to 64 digits of its hash, such as 3f2a9c41d0be.`);
}

/** @throws Problem `invalid_request` */
export function limitIn(query: Query, { usual, most }: { usual: number; most: number }): number {
  const given = textIn(query, 'limit');
  if (given === undefined) return usual;
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw problems.invalidRequest(`"limit" must be a whole number from 1 to ${most}.`);
}
