import { createRequire } from 'node:module';

/**
 * The native room client hands every line of its debug log to JavaScript, where every open `Room` looks at each of them:
 * 313 000 events for 50 joins, most of a host's CPU. It can only be told not to when it is initialised, and the package
 * initialises it on first import with the capture on; so this file comes before the first import of @livekit/rtc-node.
 * Written for the pinned version; should the binding change, nothing is patched and the host is only slower.
 */

type Initialize = (callback: unknown, captureLogs: boolean, ...rest: unknown[]) => unknown;

interface Bindings {
  livekitInitialize?: Initialize;
}

// The package's own log is at debug level, a line for every connection, unless this says production when it is loaded.
process.env.NODE_ENV ??= 'production';

/** Returns whether log capture is now off. */
export function quietNativeLayer(bindings: Bindings): boolean {
  const original = bindings.livekitInitialize;
  if (typeof original !== 'function') return false;
  const value: Initialize = (callback, _captureLogs, ...rest) => original(callback, false, ...rest);
  return Reflect.defineProperty(bindings, 'livekitInitialize', {
    configurable: true,
    enumerable: true,
    writable: true,
    value,
  });
}

export const nativeLayerIsQuiet = quietNativeLayer(createRequire(import.meta.url)('@livekit/rtc-ffi-bindings'));
