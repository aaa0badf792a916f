/** Keys that seal what is stored: those that the stack has kept since its first up, and those that its configuration names. Pure. */
import { parseMasterKeys } from '../services/settings/master-keys.ts';
import { Refusal } from './refusal.ts';

/**
 * As processes are given them: the first seals, all open.
 * @param kept what was made, or taken over, at the first up: `k1:<base64>`
 * @param given in order, each `k2:<base64>`, or a name alone for one that is kept; undefined: those that are kept
 * @throws Refusal where what is stored could not be opened with them
 */
export function keysInUse(field: string, kept: string, given: string | undefined): string {
  if (given === undefined) return kept;
  const known = entriesOf(kept);
  const named = given.split(',').map((entry) => entry.trim());
  const used = named.map((entry) => (entry.includes(':') ? entry : `${entry}:${known.get(entry) ?? ''}`));
  const names = entriesOf(used.join(','));
  const faults = [
    ...named.flatMap((entry) =>
      entry.includes(':') || known.has(entry)
        ? []
        : `There is no key ${entry} yet: give it as ${entry}:<base64 of 32 bytes>.`,
    ),
    ...[...known].flatMap(([name, key]) => {
      if (!names.has(name))
        return [
          `It leaves out ${name}, which has sealed what is stored: name it, too, last where it is to seal nothing more.`,
        ];
      return names.get(name) === key
        ? []
        : [
            `Its ${name} is another key than the one that the stack has had since its first up: give it another name, or take keys over by a first up.`,
          ];
    }),
  ];
  if (faults.length > 0) throw new Refusal(`parley:keys.${field}: ${faults.join(' ')}`);
  return used.join(',');
}

/** What a first up keeps: keys that are taken over, all of them given with their values; else one that is made. */
export function firstKeys(given: string | undefined, made: string): string {
  const isWhole = given?.split(',').every((entry) => entry.includes(':')) ?? false;
  return given !== undefined && isWhole ? given : made;
}

const entriesOf = (keys: string): Map<string, string> =>
  new Map(
    keys.split(',').map((entry) => {
      const [name = '', ...rest] = entry.trim().split(':');
      return [name, rest.join(':')];
    }),
  );

/** A sentence for what is no list of keys; undefined for one. */
export function keysFault(given: string): string | undefined {
  const values = given.split(',').filter((entry) => entry.includes(':'));
  const names = given.split(',').map((entry) => entry.trim().split(':')[0] ?? '');
  if (new Set(names).size < names.length) return 'A name stands twice.';
  if (names.some((name) => !/^[a-z0-9-]{1,32}$/.test(name)))
    return 'Names are 1 to 32 lower-case letters, digits and hyphens.';
  try {
    if (values.length > 0) parseMasterKeys(values.join(','));
    return undefined;
  } catch {
    // Its own sentence says the same of a variable.
    return 'Keys look like "k2:<base64 of 32 bytes>" (openssl rand -base64 32), several with commas between.';
  }
}
