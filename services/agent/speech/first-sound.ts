import type { AudioFrame } from '@livekit/rtc-node';
import { ifLate, within } from '../../process/within.ts';

type Next = IteratorResult<AudioFrame>;

interface Try {
  sound: AsyncIterator<AudioFrame>;
  stop: AbortController;
  begunAt: number;
  /** Its first piece; never rejects. */
  first: Promise<{ next: Next } | { error: unknown }>;
}

export interface FirstSoundOptions {
  signal: AbortSignal;
  /** Without a sound for so long another try is begun; at once where one broke beside others that go on. */
  everyMs: number;
  mostTries: number;
  /** How long the try that made it took itself. */
  onFirst: (ms: number) => void;
}

/**
 * The sound of whichever try makes one first; the others are stopped then. A try that hangs costs `everyMs` so, and one that is only slow
 * loses nothing.
 *
 * @throws what the last try threw, when none of them makes a sound
 */
export async function* firstSound(
  begin: (signal: AbortSignal) => AsyncIterable<AudioFrame>,
  { signal, everyMs, mostTries, onFirst }: FirstSoundOptions,
): AsyncGenerator<AudioFrame> {
  const all: Try[] = [];
  try {
    const winner = await race(() => started(begin, signal, all), { everyMs, mostTries });
    onFirst(performance.now() - winner.tried.begunAt);
    for (const { stop } of all.filter((tried) => tried !== winner.tried)) stop.abort();
    for (let { next } = winner; !next.done; next = await winner.tried.sound.next()) yield next.value;
  } finally {
    for (const { stop } of all) stop.abort();
  }
}

async function race(start: () => Try, { everyMs, mostTries }: Pick<FirstSoundOptions, 'everyMs' | 'mostTries'>) {
  const open = new Set([start()]);
  for (let begun = 1; ; ) {
    const mayBegin = begun < mostTries;
    const outcome = firstOf(open);
    const first = mayBegin ? await within(everyMs, 'sound', outcome).catch(ifLate(undefined)) : await outcome;
    if (first && 'next' in first) return first;
    if (first) open.delete(first.tried);
    if (first && open.size === 0) throw first.error;
    if (!mayBegin) continue;
    open.add(start());
    begun += 1;
  }
}

const firstOf = (tries: ReadonlySet<Try>) =>
  Promise.race([...tries].map(async (tried) => ({ tried, ...(await tried.first) })));

function started(begin: (signal: AbortSignal) => AsyncIterable<AudioFrame>, signal: AbortSignal, all: Try[]): Try {
  const stop = new AbortController();
  const begunAt = performance.now();
  const sound = begin(AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]();
  const first = sound.next().then(
    (next) => ({ next }),
    (error: unknown) => ({ error }),
  );
  const tried = { sound, stop, begunAt, first };
  all.push(tried);
  return tried;
}
