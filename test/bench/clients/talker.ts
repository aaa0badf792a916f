import '../../../services/agent/room/quiet-native-layer.ts';
import {
  ContinualGatheringPolicy,
  IceTransportType,
  ParticipantKind,
  Room,
  RoomEvent,
  type TextStreamReader,
} from '@livekit/rtc-node';

interface Question {
  expected: string;
  sentAt: number;
  answered: PromiseWithResolvers<number>;
}

/** As little client as possible, so that hundreds fit beside what is measured; the same for ours and for every baseline. */
const connectOptions = {
  autoSubscribe: false,
  dynacast: false,
  rtcConfig: {
    iceServers: [],
    iceTransportType: IceTransportType.TRANSPORT_ALL,
    continualGatheringPolicy: ContinualGatheringPolicy.GATHER_ONCE,
  },
};

/** A person who asks an agent that repeats what it hears, and takes the time until the reply begins. */
export class Talker {
  readonly #room = new Room();
  #question: Question | undefined;

  static async join({ wsUrl, token }: { wsUrl: string; token: string }): Promise<Talker> {
    const talker = new Talker();
    talker.#room.registerTextStreamHandler('lk.transcription', (reader) => void talker.#hear(reader));
    await talker.#room.connect(wsUrl, token, connectOptions);
    return talker;
  }

  /** The room's name: what a baseline's client is told when it opens one. */
  get room(): string {
    return this.#room.name ?? '';
  }

  /**
   * Writes `text` and gives the moment at which the first piece of its reply came, by this process's clock; undefined
   * when none came within `withinMs`.
   */
  async ask(text: string, withinMs: number): Promise<number | undefined> {
    const question = {
      expected: `You said: ${text}`,
      sentAt: performance.now(),
      answered: Promise.withResolvers<number>(),
    };
    this.#question = question;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(late.resolve, withinMs);
    await this.#room.localParticipant?.sendText(text, { topic: 'lk.chat' });
    const at = await Promise.race([question.answered.promise, late.promise]);
    clearTimeout(timer);
    return at;
  }

  /** Resolves when an agent in the room says that it listens. */
  async agentListens(withinMs: number): Promise<boolean> {
    const listening = Promise.withResolvers<boolean>();
    const look = () => {
      const agents = [...this.#room.remoteParticipants.values()].filter((who) => who.kind === ParticipantKind.AGENT);
      if (agents.some((agent) => agent.attributes['lk.agent.state'] === 'listening')) listening.resolve(true);
    };
    this.#room.on(RoomEvent.ParticipantConnected, look);
    this.#room.on(RoomEvent.ParticipantAttributesChanged, look);
    const timer = setTimeout(listening.resolve, withinMs, false);
    look();
    const result = await listening.promise;
    clearTimeout(timer);
    return result;
  }

  async leave(): Promise<void> {
    await this.#room.disconnect();
  }

  async #hear(reader: TextStreamReader): Promise<void> {
    let firstAt: number | undefined;
    let said = '';
    for await (const chunk of reader) {
      firstAt ??= performance.now();
      said += chunk;
    }
    if (firstAt !== undefined && said === this.#question?.expected) this.#question.answered.resolve(firstAt);
  }
}
