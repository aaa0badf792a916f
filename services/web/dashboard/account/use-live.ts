import { useEffect, useRef, useState } from 'preact/hooks';
import { follow } from './follow.ts';
import { useAccount } from './use-account.ts';

/**
 * Hears the stream at `path` for as long as the page is shown and `isWanted`.
 * @param hear gives whether the stream is over
 * @returns whether it is heard at the moment
 */
export function useLive<Events>(
  path: string,
  hear: <Name extends keyof Events & string>(event: Name, data: Events[Name]) => boolean,
  isWanted = true,
): boolean {
  const { api } = useAccount();
  const [isConnected, setConnected] = useState(false);
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    if (!isWanted) return;
    const stop = new AbortController();
    void follow<Events>({
      open: (lastId, signal) => api.stream(path, lastId, signal),
      hear: (event, data) => latest.current(event, data),
      connected: setConnected,
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [api, path, isWanted]);
  return isConnected;
}
