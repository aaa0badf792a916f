import type { LocalAudioTrack, LocalTrack, RemoteAudioTrack, Room } from 'livekit-client';
import { bestEffort } from './best-effort.ts';
import { Loudness } from './loudness.ts';
import { silentUntilTouched } from './touched.ts';
import { within } from './within.ts';

/** What happens in the room, as far as a page is concerned. */
export interface RoomEvents {
  connection(state: 'connected' | 'reconnecting'): void;
  /** An agent came into the room: the first one, or another one after the first was gone. */
  agentArrived(): void;
  /** The agent's `lk.agent.state`; undefined when it is not in the room. */
  agentState(state: string | undefined): void;
  replyBegan(id: string): void;
  replyGrew(id: string, chunk: string): void;
  replyEnded(id: string, whole: boolean): void;
  /** What the person was heard to say; told again under the same id as it is better known. */
  heard(id: string, text: string): void;
  /** The room is over for this page, and not because it asked for that. `replaced`: another page of this person has joined it. */
  lost(why?: 'replaced'): void;
  /** The agent's `parley.mode`: how the conversation is held from now on. */
  agentMode?(mode: string): void;
  /** Whether the browser lets the agent be heard. */
  sound?(blocked: boolean): void;
}

/** What the page does for the agent. @throws RpcError-like with a message of at most 256 bytes for the model */
export type PageTool = (payload: string) => Promise<string>;

/** A microphone that the browser has given, and that no room has yet. */
export type Microphone = LocalAudioTrack;

export interface JoinedRoom {
  /** `id` names the text: one that is sent twice is heard once. */
  send(id: string, text: string): Promise<void>;
  /** Takes the microphone, which the browser asks the person for, or mutes it. @throws when the person refuses */
  setMicrophone(on: boolean): Promise<void>;
  /** How loud each is at the moment, 0 to 1. */
  loudness(): { person: number; agent: number };
  /** The agent is to stop what it says or writes. */
  interrupt(): Promise<void>;
  leave(): Promise<void>;
}

/** A room in which the person changes between writing and speaking, and the page does things for the agent. */
export interface HeldRoom extends JoinedRoom {
  /** Says how the person wants the conversation to be held. */
  wish(mode: 'text' | 'voice'): Promise<void>;
  publish(microphone: Microphone): Promise<void>;
  /** Gives the microphone back: the browser no longer shows that it is in use. */
  dropMicrophone(): Promise<void>;
  /** Within a click: the browser plays no sound unasked. */
  startSound(): Promise<void>;
  useMicrophone(deviceId: string): Promise<void>;
  /** Where the agent is heard. @throws where the browser leaves that to the system */
  useSpeaker(deviceId: string): Promise<void>;
  /** Answers the agent's client tool of this name from now on; undefined: no more. */
  answerTool(name: string, tool: PageTool | undefined): void;
}

const agentIdentity = 'agent';
const stateAttribute = 'lk.agent.state';
/** Of the person: how the conversation is to be held; of the agent: how it is (docs/call/room.md). */
const modeAttribute = 'parley.mode';
/** What a client tool that this page does not know is answered with: the room's own code is for methods that are not there. */
const refusedCode = 4003;
/** The agent's method: it stops what it says (docs/call/room.md). */
const interruptMethod = 'parley.interrupt';

const loadClient = () => import('livekit-client');

/** Fetches the room's client, so that joining is quick when it comes to that. */
export const prefetchRoomClient = async (): Promise<void> => void (await loadClient());

/** Asks the person for their microphone. @throws DOMException when they refuse, or there is none */
export async function takeMicrophone(deviceId?: string): Promise<Microphone> {
  const { createLocalAudioTrack } = await loadClient();
  return createLocalAudioTrack({ echoCancellation: true, noiseSuppression: true, ...(deviceId ? { deviceId } : {}) });
}

/** Another page of this person joined the room while this one did. */
export class Replaced extends Error {}

/** The room's client gives each of its own steps 15 s at most; a page that waits for longer waits for nothing. */
const joinedWithinMs = 30_000;

/**
 * Joins a session's room. The room's client is half of a page's weight, so it is loaded here and not before.
 * @throws Replaced; Error when the room cannot be joined, or does not answer within 30 s
 */
export async function joinRoom({ wsUrl, token }: { wsUrl: string; token: string }, on: RoomEvents): Promise<HeldRoom> {
  const { Room, RoomEvent, Track, RpcError, DisconnectReason, LogLevel, setLogLevel, createAudioAnalyser } =
    await loadClient();
  setLogLevel(LogLevel.warn);
  const room = new Room();
  silentUntilTouched(room);
  const streams = new Map<string, string>();
  const loudness = { person: new Loudness(createAudioAnalyser), agent: new Loudness(createAudioAnalyser) };
  let joined = false;
  let leaving = false;
  let agentSid: string | undefined;

  // An agent that takes another one's place has its identity, and the client reports no arrival then: its sid tells.
  const lookAtAgent = () => {
    const agent = room.remoteParticipants.get(agentIdentity);
    on.agentState(agent?.attributes[stateAttribute]);
    const mode = agent?.attributes[modeAttribute];
    if (mode) on.agentMode?.(mode);
    if (!agent || agent.sid === agentSid) return;
    agentSid = agent.sid;
    // Until it is active, the room server passes no text on to it.
    void bestEffort('an agent that left before is no agent', agent.waitUntilActive().then(on.agentArrived));
  };

  // Registered before joining: a greeting may be the first thing in the room.
  room.registerTextStreamHandler('lk.transcription', async (reader, { identity }) => {
    const { id, attributes } = reader.info;
    if (identity === room.localParticipant.identity) {
      return on.heard(
        attributes?.['lk.segment_id'] ?? id,
        (await bestEffort('it is told again, or was cut off', reader.readAll())) ?? '',
      );
    }
    if (identity !== agentIdentity) return;
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
    .on(RoomEvent.ParticipantConnected, lookAtAgent)
    .on(RoomEvent.ParticipantActive, lookAtAgent)
    .on(RoomEvent.ParticipantDisconnected, lookAtAgent)
    .on(RoomEvent.ParticipantAttributesChanged, lookAtAgent)
    .on(RoomEvent.LocalTrackPublished, ({ audioTrack }) => loudness.person.of(audioTrack))
    .on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
      document.body.append(track.attach());
      if (identity === agentIdentity && track.kind === Track.Kind.Audio) loudness.agent.of(track as RemoteAudioTrack);
    })
    .on(RoomEvent.TrackUnsubscribed, (track, _publication, { identity }) => {
      for (const element of track.detach()) element.remove();
      if (identity === agentIdentity) loudness.agent.of(undefined);
    })
    .on(RoomEvent.SignalReconnecting, () => on.connection('reconnecting'))
    .on(RoomEvent.Reconnecting, () => on.connection('reconnecting'))
    .on(RoomEvent.Reconnected, () => {
      on.connection('connected');
      lookAtAgent();
    })
    .on(RoomEvent.AudioPlaybackStatusChanged, () => on.sound?.(!room.canPlaybackAudio))
    .on(RoomEvent.Disconnected, (reason) => {
      if (joined && !leaving)
        on.lost(...(reason === DisconnectReason.DUPLICATE_IDENTITY ? (['replaced'] as const) : []));
    });

  // Who is replaced while they join is told so at once, but `connect` fails 15 s later, and does not say why (measured with livekit-client 2.23.0).
  const connecting = new Promise<void>((resolve, reject) => {
    room.once(RoomEvent.Disconnected, (reason) => {
      if (reason === DisconnectReason.DUPLICATE_IDENTITY) reject(new Replaced());
    });
    room.connect(wsUrl, token).then(resolve, reject);
  });
  try {
    await within(joinedWithinMs, () => new Error('the room does not answer'), connecting);
  } catch (error) {
    void bestEffort('what was not joined is left all the same', room.disconnect());
    throw error;
  }
  joined = true;
  on.connection('connected');
  lookAtAgent();

  return {
    send: async (id, text) => {
      const writer = await room.localParticipant.streamText({ topic: 'lk.chat', streamId: id });
      await writer.write(text);
      await writer.close();
    },
    setMicrophone: async (on) => {
      await room.localParticipant.setMicrophoneEnabled(on);
      // Within the click that asked for the microphone: the browser plays no sound unasked.
      await room.startAudio();
    },
    loudness: () => ({
      person: loudness.person.now,
      agent: loudness.agent.now,
    }),
    interrupt: async () => {
      const call = { destinationIdentity: agentIdentity, method: interruptMethod, payload: '' };
      await room.localParticipant.performRpc(call);
    },
    wish: (mode) => room.localParticipant.setAttributes({ [modeAttribute]: mode }),
    publish: async (microphone) => {
      // Its own type says of one property that it may be undefined, which the other's does not.
      await room.localParticipant.publishTrack(microphone as LocalTrack);
      await bestEffort('`sound` tells of a browser that plays nothing before it is touched', room.startAudio());
    },
    dropMicrophone: () => dropMicrophone(room),
    startSound: () => room.startAudio(),
    useMicrophone: async (deviceId) => void (await room.switchActiveDevice('audioinput', deviceId)),
    useSpeaker: async (deviceId) => void (await room.switchActiveDevice('audiooutput', deviceId)),
    answerTool: (name, tool) => {
      room.unregisterRpcMethod(name);
      if (!tool) return;
      room.registerRpcMethod(name, async ({ callerIdentity, payload }) => {
        if (callerIdentity !== agentIdentity) throw new RpcError(refusedCode, 'Only the agent may ask.');
        return tool(payload).catch((error: unknown) => {
          throw new RpcError(refusedCode, error instanceof Error ? error.message : 'The page could not do it.');
        });
      });
    },
    leave: async () => {
      leaving = true;
      for (const one of Object.values(loudness)) one.of(undefined);
      await room.disconnect();
    },
  };
}

async function dropMicrophone({ localParticipant }: Room): Promise<void> {
  for (const { track } of localParticipant.trackPublications.values())
    if (track) await localParticipant.unpublishTrack(track, true);
}
