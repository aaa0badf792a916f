import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from '../client/api-client.ts';
import { bestEffort } from '../client/best-effort.ts';
import type { AgentChoice, Refusal } from '../client/shapes.ts';

export interface Agents {
  status: 'loading' | 'known' | 'failed';
  list: readonly AgentChoice[];
  problem?: string;
  /** Why the files as they are now are not live; the agents of the list are those of the last good ones. */
  refusal?: Refusal | undefined;
  reload(): void;
}

/** The agents that are live; asked again when the person comes back to the page, because their files may have changed. */
export function useAgents(api: Api): Agents {
  const [found, setFound] = useState<Omit<Agents, 'reload'>>({ status: 'loading', list: [] });

  const reload = useCallback(() => {
    const refusal = bestEffort('without an answer about the files the agents can be tried', api.readRefusal());
    Promise.all([api.listAgents(), refusal]).then(
      ([list, refused]) => setFound({ status: 'known', list, refusal: refused ?? undefined }),
      (error: Error) =>
        setFound((before) =>
          before.status === 'known' ? before : { status: 'failed', list: [], problem: error.message },
        ),
    );
  }, [api]);

  useEffect(() => {
    reload();
    addEventListener('focus', reload);
    return () => removeEventListener('focus', reload);
  }, [reload]);

  return { ...found, reload };
}
