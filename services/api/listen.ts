import type { KeyCache } from '../core/credentials/key-cache.ts';
import type { Readiness } from '../core/hosts/readiness.ts';
import { type DirectConnection, openDirectConnection } from '../store/direct.ts';
import { channels } from '../store/notify.ts';

export interface Listener {
  close(): Promise<void>;
}

const retryMs = 500;

/**
 * Hears what other processes tell: changed agents and keys are read again, and whoever waits for an agent goes on. The API
 * starts without a database too, so the first connection is tried until it holds; caches and polls carry it meanwhile.
 */
export function listenForChanges(
  url: string,
  { keyCache, readiness }: { keyCache: KeyCache; readiness: Readiness },
): Listener {
  let connection: DirectConnection | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  const open = async () => {
    try {
      connection = await openDirectConnection({
        url,
        applicationName: 'parley-api-listen',
        channels: [channels.agents, channels.ready],
        onNotification: (channel, payload) =>
          channel === channels.ready ? readiness.heard(payload) : keyCache.clear(),
        // What was told while nobody listened is lost.
        onReady: () => keyCache.clear(),
      });
      if (closed) await connection.close();
    } catch {
      if (!closed) retry = setTimeout(open, retryMs);
    }
  };
  void open();
  return {
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await connection?.close();
    },
  };
}
