import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from './api/client.ts';
import type { AgentChoice } from './api/shapes.ts';

export interface Agents {
  status: 'loading' | 'known' | 'failed';
  list: readonly AgentChoice[];
  problem?: string;
  reload(): void;
}

/** The agents that are live; asked again when the person comes back to the page, because their files may have changed. */
export function useAgents(api: Api): Agents {
  const [found, setFound] = useState<Omit<Agents, 'reload'>>({ status: 'loading', list: [] });

  const reload = useCallback(() => {
    api.listAgents().then(
      (list) => setFound({ status: 'known', list }),
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
