/** What a preview says of trunks and numbers that the stack declares. Pure. */
import type { DeclaredTelephone } from '../../services/contract/declared-telephone.ts';
import type {
  DeclaredHours,
  DeclaredNumber,
  DeclaredTrunk,
  Telephone,
} from '../../services/contract/generated/tenant.ts';

/** A line for each that is new, other or gone; none where nothing changed. */
export const telephoneInWords = (before: DeclaredTelephone, after: DeclaredTelephone): string[] => [
  ...changesOf(trunksIn(before), trunksIn(after)),
  ...changesOf(numbersIn(before), numbersIn(after)),
];

/** What is declared, as the next preview is told it. */
export const declaredOf = (phone: Telephone | undefined): DeclaredTelephone => ({
  trunks: phone?.trunks ?? [],
  numbers: phone?.numbers ?? [],
});

/** What is said of one, by what it is called. */
type Said = ReadonlyMap<string, { facts: Readonly<Record<string, string>>; gone: string }>;

const trunksIn = ({ trunks }: DeclaredTelephone): Said =>
  new Map(
    trunks.map((trunk) => [
      `trunk ${trunk.name}`,
      { facts: factsOfTrunk(trunk), gone: 'no call comes in or goes out by it' },
    ]),
  );

const numbersIn = ({ numbers }: DeclaredTelephone): Said =>
  new Map(numbers.map((number) => [number.number, { facts: factsOfNumber(number), gone: 'nobody answers it' }]));

function changesOf(before: Said, after: Said): string[] {
  const fresh = [...after].flatMap(([name, { facts }]) => {
    const old = before.get(name)?.facts;
    if (!old) return [`${name} is new: ${inOneLine(facts)}`];
    return Object.entries(facts).flatMap(([what, is]) => {
      const was = old[what] ?? '';
      return was === is ? [] : [`${name}, ${what}: ${was} → ${is}`];
    });
  });
  const gone = [...before].flatMap(([name, { gone: noticed }]) =>
    after.has(name) ? [] : [`${name} goes: ${noticed}`],
  );
  return [...fresh, ...gone];
}

const inOneLine = (facts: Readonly<Record<string, string>>) =>
  Object.entries(facts)
    .map(([what, is]) => `${what}: ${is}`)
    .join('; ');

const factsOfTrunk = (trunk: DeclaredTrunk) => ({
  carrier: `${trunk.address} (${trunk.transport})`,
  'signs in': trunk.username === undefined ? 'no' : `as ${trunk.username}, with ${trunk.password}`,
  'calls in from': listed(trunk.allowedAddresses, trunk.username === undefined ? 'nobody' : 'whoever signs in'),
  'calls out to': listed(trunk.allowedPrefixes, 'nobody'),
  'at most': `${trunk.maxDialsPerMinute} dials a minute, ${trunk.maxCallsPerDay} calls and ${trunk.maxMinutesPerDay} minutes a day of each prefix`,
});

const factsOfNumber = ({ agent, language, hours, trunk, whenRefused }: DeclaredNumber) => ({
  'answered by': agent === undefined ? 'nobody' : `${agent}${language === undefined ? '' : ` in ${language}`}`,
  open: hours === undefined ? 'always' : openInWords(hours),
  'otherwise they hear': whenRefused === 'busy' ? 'busy' : 'a sentence, or busy where no host can say it',
  trunk,
});

const openInWords = ({ zone, open }: DeclaredHours): string =>
  open.length === 0
    ? 'never'
    : `${open.map(({ days, from, to }) => `${days.join(' ')} ${from}–${to}`).join(', ')} (${zone})`;

const listed = (all: readonly string[], none: string) => (all.length === 0 ? none : all.join(', '));
