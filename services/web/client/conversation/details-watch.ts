import type { Api } from '../api-client.ts';
import { ApiProblem } from '../request.ts';
import type { SessionDetails } from '../shapes.ts';
import { sleep } from '../sleep.ts';
import type { Fact } from './state.ts';

const everyMs = 1_000;
/** A summary is a model's work and may be tried more than once; after this long the page says that none came. */
const summaryPatienceMs = 60_000;

export interface DetailsWatch {
  /** Something happened that the server may have stored: look before the next second is over. */
  lookNow(): void;
  stop(): void;
}

interface Watched {
  api: Pick<Api, 'readDetails'>;
  sessionId: string;
  tell(fact: Fact): void;
  onEnded(details: SessionDetails): void;
}

/** Reads what the server stores about a session until its summary is there, or the server shows nothing (outside development). */
export function watchDetails({ api, sessionId, tell, onEnded }: Watched): DetailsWatch {
  let stopped = false;
  let nap = new AbortController();

  const look = () =>
    api.readDetails(sessionId).catch((error: unknown) => (isHidden(error) ? ('hidden' as const) : undefined));

  const watch = async () => {
    let giveUpAt = Number.POSITIVE_INFINITY;
    while (!stopped) {
      const details = await look();
      if (details === 'hidden') return tell({ kind: 'detailsHidden' });
      if (details) tell({ kind: 'details', details });
      if (details?.status === 'ended') {
        onEnded(details);
        giveUpAt = Math.min(giveUpAt, Date.now() + summaryPatienceMs);
        if (details.finishedAt !== null || Date.now() >= giveUpAt) return tell({ kind: 'settled' });
      }
      nap = new AbortController();
      await sleep(everyMs, nap.signal);
    }
  };
  void watch();

  return {
    lookNow: () => nap.abort(),
    stop: () => {
      stopped = true;
      nap.abort();
    },
  };
}

const isHidden = (error: unknown) => error instanceof ApiProblem && error.status === 404;
