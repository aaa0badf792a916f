import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

const opening = new AsyncLocalStorage<Wire>();

// A WebSocket begins as a request; whoever opens it in the course of `Wire.of` is seen here.
subscribe('http.client.request.created', (message) => {
  const { request } = message as { request: ClientRequest };
  const wire = opening.getStore();
  if (wire) request.once('upgrade', (_response, socket) => wire.opened(socket as Socket));
});

/**
 * The WebSocket behind a plugin's stream. Plugins keep it to themselves and pass on nothing that has no words, so that a
 * provider which has understood nothing looks like one that hangs: bytes tell them apart. And deepgram's (1.9.0) goes on
 * sending into a connection that was lost.
 */
export class Wire {
  #socket: Socket | undefined;
  readonly #onLost: () => void;

  private constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  /** Runs `open`, and follows the connection that it opens. `onLost` when that is closed, by whomever. */
  static of<Opened>(open: () => Opened, onLost: () => void): { opened: Opened; wire: Wire } {
    const wire = new Wire(onLost);
    return { opened: opening.run(wire, open), wire };
  }

  /** To be asked later: whether anything has come in since now. Never where there is no connection yet. */
  mark(): () => boolean {
    const socket = this.#socket;
    const bytes = socket?.bytesRead ?? 0;
    return () => socket !== undefined && socket.bytesRead > bytes;
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    socket.once('close', () => this.#onLost());
  }
}
