import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { DisconnectReason, LeaveRequest, LeaveRequest_Action, SignalResponse } from '@livekit/protocol';
import { WebSocketServer } from 'ws';

/** As a room server tells whoever is in a room that it deletes. */
const leave = new SignalResponse({
  message: {
    case: 'leave',
    value: new LeaveRequest({ reason: DisconnectReason.ROOM_DELETED, action: LeaveRequest_Action.DISCONNECT }),
  },
}).toBinary();

const server = new WebSocketServer({ noServer: true });

/**
 * A SIP bridge comes back to a call that is over: it is told to leave, and hangs up. Of a refusal it would conclude that the room server is away, and try
 * ten times within a minute (livekit/sip 1.8.0), in which the caller hears nothing.
 */
export function tellOver(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  server.handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on('error', () => webSocket.terminate());
    webSocket.send(leave, () => webSocket.close());
  });
}
