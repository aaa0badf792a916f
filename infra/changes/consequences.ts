/** What follows from a second run, part by part: what restarts or is replaced, and whether anybody is cut. Pure. */
import type { Load, Part, Way } from './part.ts';

export interface Consequence {
  /** As people call it. */
  what: string;
  /** Undefined where there is neither less nor more of it. */
  replicas: { before: number; after: number } | undefined;
  /** What changed of it: `image`, `settings`, … */
  because: readonly string[];
  way: Way;
  /** One sentence: what somebody in a conversation notices. */
  noticed: string;
  /** Whether a conversation ends by it. */
  cuts: boolean;
}

/** The worse way first: it is the one that is seen. */
const worstFirst: readonly Way[] = [
  'by hand',
  'is made anew',
  'restarts',
  'fails over',
  'one by one',
  'rolls',
  'runs',
  'in place',
] as const;

/** In the order of the parts. What is the same, or only comes or goes with nothing in it, gives nothing. */
export function consequencesOf(before: readonly Part[], after: readonly Part[]): Consequence[] {
  const old = new Map(before.map((part) => [part.name, part]));
  const fresh = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((part) => changeOf(old.get(part.name), part)),
    ...before.filter(({ name }) => !fresh.has(name)).map(goneOf),
  ];
}

function changeOf(before: Part | undefined, after: Part): Consequence[] {
  const { what, from } = after;
  if (before === undefined) return [{ ...added, what, replicas: countOf(undefined, after) }];
  const because = Object.keys(from).filter((subject) => before.from[subject]?.value !== from[subject]?.value);
  const replicas = countOf(before, after);
  if (because.length === 0) {
    return replicas === undefined ? [] : [{ what, replicas, because, way: 'in place', ...countNoticed(before, after) }];
  }
  const ways = because.map((subject) => from[subject]?.way ?? 'in place');
  const way = worstFirst.find((one) => ways.includes(one)) ?? 'in place';
  // Who is told to stop is the one that was there, with the grace that it was given.
  return [{ what, replicas, because, way, ...effectOf(way, before.load) }];
}

const added = {
  because: [],
  way: 'in place' as const,
  noticed: 'it is new',
  cuts: false,
};

const goneOf = ({ what, replicas, load }: Part): Consequence => ({
  what,
  replicas: replicas === undefined ? undefined : { before: replicas, after: 0 },
  because: [],
  way: 'is made anew',
  ...effectOfGoing(load),
});

function effectOfGoing({ kind }: Load): Effect {
  if (kind === 'data') return { noticed: 'it goes, and its data with it', cuts: true };
  return kind === 'guests' ? guestsGo : { noticed: 'it goes', cuts: false };
}

function countOf(before: Part | undefined, after: Part): Consequence['replicas'] {
  const [was, is] = [before?.replicas ?? 0, after.replicas ?? 0];
  return was === is ? undefined : { before: was, after: is };
}

/** Those of which there are to be fewer stop as they do in a rollout. */
const countNoticed = (before: Part, after: Part): Pick<Consequence, 'noticed' | 'cuts'> =>
  (after.replicas ?? 0) < (before.replicas ?? 0)
    ? effectOf('one by one', before.load)
    : { noticed: 'nobody notices', cuts: false };

type Effect = Pick<Consequence, 'noticed' | 'cuts'>;

const unnoticed: Effect = { noticed: 'nobody notices', cuts: false };

/** Their ports, their users of the cache and their balancers' rules go; their databases stay. */
const guestsGo: Effect = {
  noticed: 'CONVERSATIONS ARE CUT where one of the last slots still has a tenant: destroy its stack first',
  cuts: true,
};

/** Only volumes of databases are changed so. */
const byHand = 'IT STAYS AS IT IS: docs/operate/backups.md says how a volume grows';

/** Of the way in which a change is made, and of what a part has meanwhile. */
export function effectOf(way: Way, load: Load): Effect {
  if (way === 'in place' || way === 'runs') return unnoticed;
  if (way === 'by hand') return { noticed: byHand, cuts: false };
  switch (load.kind) {
    case 'nothing':
      return unnoticed;
    case 'requests':
      return way === 'rolls'
        ? { noticed: 'nobody is cut: a new one answers before an old one goes', cuts: false }
        : { noticed: 'requests fail until it is back; conversations go on', cuts: false };
    case 'work':
      return { noticed: 'nobody notices: what is due is done by the next one', cuts: false };
    case 'handed over':
      return inTime(load, 'an old one gives its conversations to others first');
    case 'waited for':
      return way === 'restarts'
        ? { noticed: 'conversations end', cuts: true }
        : inTime(load, `each waits for its conversations, at most ${inWords(load.neededSeconds)}`);
    case 'calls':
      return inTime(
        load,
        load.alone
          ? `its calls end first, for at most ${inWords(load.neededSeconds)}, and nobody else can call until then`
          : `each waits for its calls, at most ${inWords(load.neededSeconds)}, and the others take new ones`,
      );
    case 'made again':
      return { noticed: 'nobody is cut: conversations go on in the next one after some seconds', cuts: false };
    case 'data':
      return way === 'is made anew'
        ? { noticed: 'its data is that of the other one', cuts: false }
        : {
            noticed: `conversations go on; ${timeWithout(way)} none begins, and hosts keep what they owe`,
            cuts: false,
          };
    case 'notes':
      return { noticed: 'conversations go on; for some seconds one that begins may have to begin again', cuts: false };
    case 'guests':
      return guestsGo;
    case 'pods':
      return inTime(load, `its pods leave within ${inWords(load.neededSeconds)}`);
  }
}

const timeWithout = (way: Way) =>
  way === 'fails over' ? 'for about a minute' : 'until it is back, seconds to minutes,';

/** A grace that is too short ends what has not left by then. */
const inTime = (
  { neededSeconds, graceSeconds }: { neededSeconds: number; graceSeconds: number },
  how: string,
): Effect =>
  neededSeconds <= graceSeconds
    ? { noticed: `nobody is cut: ${how}`, cuts: false }
    : {
        noticed: `CONVERSATIONS ARE CUT: they need up to ${inWords(neededSeconds)}, and are given ${inWords(graceSeconds)}`,
        cuts: true,
      };

/** Such as `1 h 6 min`, rounded up. */
export function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ');
}
