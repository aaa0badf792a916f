import type { ConnectionState } from './state.ts';

/** What happens in the room, as far as this page is concerned. */
export interface RoomEvents {
  connection(state: Extract<ConnectionState, 'connected' | 'reconnecting'>): void;
  /** The agent's `lk.agent.state`; undefined when it is not in the room. */
  agentState(state: string | undefined): void;
  replyBegan(id: string): void;
  replyGrew(id: string, chunk: string): void;
  replyEnded(id: string, whole: boolean): void;
  /** The room is over for this page, and not because it asked for that. */
  lost(): void;
}

export interface JoinedRoom {
  send(text: string): Promise<void>;
  leave(): Promise<void>;
}

const agentIdentity = 'agent';
const stateAttribute = 'lk.agent.state';

/**
 * Joins a session's room for text. The room's client is half of this page's weight, so it is loaded here and not before.
 * @throws Error when the room cannot be joined
 */
export async function joinRoom(
  { wsUrl, token }: { wsUrl: string; token: string },
  on: RoomEvents,
): Promise<JoinedRoom> {
  const { Room, RoomEvent, LogLevel, setLogLevel } = await import('livekit-client');
  setLogLevel(LogLevel.warn);
  const room = new Room();
  const showAgent = () => on.agentState(room.remoteParticipants.get(agentIdentity)?.attributes[stateAttribute]);
  const streams = new Map<string, string>();
  let joined = false;
  let leaving = false;

  // Registered before joining: a greeting may be the first thing in the room.
  room.registerTextStreamHandler('lk.transcription', async (reader, { identity }) => {
    if (identity !== agentIdentity) return;
    const { id, attributes } = reader.info;
    // A reply that was said into a broken connection is said again, as another stream of the same segment.
    const segment = attributes?.['lk.segment_id'] ?? id;
    streams.set(segment, id);
    const current = () => streams.get(segment) === id;
    on.replyBegan(segment);
    try {
      for await (const chunk of reader) if (current()) on.replyGrew(segment, chunk);
      if (current()) on.replyEnded(segment, true);
    } catch {
      if (current()) on.replyEnded(segment, false);
    }
  });
  room
    .on(RoomEvent.ParticipantConnected, showAgent)
    .on(RoomEvent.ParticipantDisconnected, showAgent)
    .on(RoomEvent.ParticipantAttributesChanged, showAgent)
    .on(RoomEvent.SignalReconnecting, () => on.connection('reconnecting'))
    .on(RoomEvent.Reconnecting, () => on.connection('reconnecting'))
    .on(RoomEvent.Reconnected, () => {
      on.connection('connected');
      showAgent();
    })
    .on(RoomEvent.Disconnected, () => {
      if (joined && !leaving) on.lost();
    });

  await room.connect(wsUrl, token);
  joined = true;
  on.connection('connected');
  showAgent();

  return {
    send: async (text) => {
      await room.localParticipant.sendText(text, { topic: 'lk.chat' });
    },
    leave: async () => {
      leaving = true;
      await room.disconnect();
    },
  };
}
