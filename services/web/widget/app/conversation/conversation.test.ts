import { expect, test, vi } from 'vitest';
import { ApiProblem } from '../../../client/request.ts';
import { type HeldRoom, type Microphone, Replaced, type RoomEvents } from '../../../client/room-client.ts';
import type { Figures } from '../../../client/shapes.ts';
import type { Api, Wishes } from './api.ts';
import { holdConversation } from './conversation.ts';
import type { Remembered } from './memory.ts';
import { awaitsReply, learn, mayBeStopped, nothingYet, type State } from './state.ts';

const connection = { sessionId: 's_1', wsUrl: 'ws://rooms', token: 't' };

interface Choices {
  create?: (wishes: Wishes, key: string) => Promise<void>;
  /** Before the room is there. */
  join?: () => Promise<void>;
  publish?: () => Promise<void>;
  read?: () => Promise<void>;
  end?: () => Promise<void>;
  microphone?: (deviceId?: string) => Promise<Microphone>;
  agentWithinSeconds?: number;
  challenge?: () => Promise<string | undefined>;
  /** What is to be tried again is, some other day. */
  pauses?: boolean;
  remembered?: Remembered;
}

/** A conversation over a service and a room that do as they are told. */
function open({
  create,
  join: joins,
  publish,
  read,
  end,
  microphone,
  agentWithinSeconds,
  challenge,
  pauses,
  remembered,
}: Choices = {}) {
  let state: State = nothingYet;
  const asked: string[] = [];
  const keys: string[] = [];
  const sent: [string, string][] = [];
  const did: string[] = [];
  let room: RoomEvents | undefined;
  const api: Api = {
    create: async (wishes, { idempotencyKey: key, challenge }) => {
      if (challenge !== undefined) did.push(`showed ${challenge}`);
      asked.push(`create ${wishes.interactionMode}`);
      keys.push(key);
      await create?.(wishes, key);
      return { connection, agentWithinSeconds };
    },
    read: async () => {
      asked.push('read');
      await read?.();
      return { connection, agentWithinSeconds };
    },
    end: async () => {
      asked.push('end');
      await end?.();
      return { sessionId: 's_1' } as unknown as Figures;
    },
  };
  const noted = (what: string) => async () => void did.push(what);
  const join = async (_: unknown, events: RoomEvents): Promise<HeldRoom> => {
    await joins?.();
    room = events;
    events.connection('connected');
    return {
      send: async (id, text) => void sent.push([id, text]),
      setMicrophone: async (on) => void did.push(on ? 'unmuted' : 'muted'),
      loudness: () => ({ person: 0, agent: 0 }),
      interrupt: noted('interrupt'),
      leave: noted('leave'),
      wish: async (mode) => void did.push(`wish ${mode}`),
      publish: publish ?? noted('publish'),
      dropMicrophone: noted('drop'),
      startSound: noted('sound'),
      useMicrophone: noted('device'),
      useSpeaker: noted('speaker'),
      answerTool: () => undefined,
    };
  };
  const conversation = holdConversation(
    {
      api,
      join,
      microphone: microphone ?? (async () => ({ stop: () => did.push('stopped') }) as unknown as Microphone),
      wishes: async () => ({ language: 'en' }),
      ...(challenge && { challenge }),
      onJoined: () => undefined,
      learn: (fact) => {
        state = learn(state, fact);
      },
      state: () => state,
      pause: () => (pauses ? new Promise<void>(() => undefined) : Promise.resolve()),
    },
    remembered,
  );
  const inRoom = () => vi.waitFor(() => expect(room).toBeDefined()).then(() => room as RoomEvents);
  const texts = () => sent.map(([, text]) => text);
  return { conversation, asked, keys, did, texts, sent, inRoom, state: () => state };
}

const refusal = (code: string, status = 503) => Promise.reject(new ApiProblem(status, code, 'No.'));
const notFound = () => Promise.reject(new DOMException('no', 'NotAllowedError'));

test('nothing is asked of the service before the first word; what is written waits for the agent', async () => {
  const { conversation, asked, texts, inRoom, state } = open({ agentWithinSeconds: 30 });
  expect(asked).toEqual([]);
  conversation.say('one');
  conversation.say('two');
  const room = await inRoom();
  await vi.waitFor(() => expect(state()).toMatchObject({ phase: 'talking', agentWithinSeconds: 30 }));
  expect(asked).toEqual(['create TEXT']);
  expect(texts()).toEqual([]);
  room.agentArrived();
  await vi.waitFor(() => expect(texts()).toEqual(['one', 'two']));
});

test('an agent that takes the place of another is sent the last texts again, under their ids', async () => {
  const { conversation, sent, inRoom } = open();
  conversation.say('one');
  const room = await inRoom();
  room.agentArrived();
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  room.agentArrived();
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[0]).toEqual(sent[1]);
});

test('a beginning that is refused for the moment is tried again under one key, and the person is told', async () => {
  let refusals = 2;
  const { conversation, asked, keys, state } = open({
    create: () => (refusals-- > 0 ? refusal('no_capacity') : Promise.resolve()),
  });
  conversation.say('one');
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  expect(asked).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(state().notice).toBeUndefined();
});

test('while it is tried again nobody seems to write an answer', async () => {
  const { conversation, asked, state } = open({ create: () => refusal('no_capacity'), pauses: true });
  conversation.say('one');
  expect(awaitsReply(state())).toBe(true);
  await vi.waitFor(() => expect(state().notice).toMatchObject({ code: 'no_capacity', isRetried: true }));
  expect(asked).toHaveLength(1);
  expect(awaitsReply(state())).toBe(false);
});

test('how long the service wants to be left alone is told', async () => {
  const { conversation, state } = open({
    create: () => Promise.reject(new ApiProblem(429, 'visitor_limit', 'No.', 40)),
  });
  conversation.say('one');
  await vi.waitFor(() =>
    expect(state().notice).toEqual({ code: 'rate_limited', isRetried: false, retryAfterSeconds: 40 }),
  );
});

test('a person solves one challenge for a beginning that takes several attempts, and another when theirs no longer holds', async () => {
  let solved = 0;
  const refusals = ['no_capacity', 'voice_unavailable', 'challenge_required'];
  const { conversation, did, state } = open({
    challenge: async () => `answer ${++solved}`,
    create: () => {
      const code = refusals.shift();
      return code ? refusal(code, code === 'challenge_required' ? 403 : 503) : Promise.resolve();
    },
  });
  await conversation.speak();
  expect(state().phase).toBe('talking');
  expect(did.filter((what) => what.startsWith('showed'))).toEqual([
    ...Array(3).fill('showed answer 1'),
    'showed answer 2',
  ]);
});

test('an answer that is refused at once is not followed by another challenge: the person decides', async () => {
  let solved = 0;
  const { conversation, state } = open({
    challenge: async () => `answer ${++solved}`,
    create: () => refusal('challenge_required', 403),
  });
  conversation.say('one');
  await vi.waitFor(() => expect(state().notice).toEqual({ code: 'challenge_required', isRetried: false }));
  expect(solved).toBe(1);
});

test('whoever wanted to speak is said to have, so that trying again is speaking again', async () => {
  const { conversation, state } = open({ create: () => refusal('challenge_required', 403) });
  await conversation.speak();
  expect(state()).toMatchObject({ mode: 'text', notice: { code: 'challenge_required', wasSpoken: true } });
});

test.for([
  ['agent_disabled', 401],
  ['origin_not_allowed', 403],
] as const)('%s is not asked for again', async ([code, status]) => {
  const { conversation, asked, state } = open({ create: () => refusal(code, status) });
  conversation.say('one');
  await vi.waitFor(() => expect(state().notice).toEqual({ code, isRetried: false }));
  expect(asked).toHaveLength(1);
  expect(state().phase).toBe('idle');
});

test('after a refusal the next text begins anew, and nothing that was written is lost', async () => {
  let isRefused = true;
  const { conversation, texts, inRoom, state } = open({
    create: () => (isRefused ? refusal('agent_disabled', 401) : Promise.resolve()),
  });
  conversation.say('one');
  await vi.waitFor(() => expect(state().notice?.code).toBe('agent_disabled'));
  isRefused = false;
  conversation.say('two');
  (await inRoom()).agentArrived();
  await vi.waitFor(() => expect(texts()).toEqual(['one', 'two']));
});

test('who speaks gets a spoken session, and the microphone after it was asked for', async () => {
  const { conversation, asked, did, state } = open();
  await conversation.speak();
  expect(asked).toEqual(['create VOICE']);
  expect(did).toEqual(['publish', 'wish voice']);
  expect(state()).toMatchObject({ mode: 'voice', microphone: 'on' });
});

test('where nobody can speak the conversation begins in writing, and the person is told', async () => {
  const { conversation, asked, did, state } = open({
    create: ({ interactionMode }) => (interactionMode === 'VOICE' ? refusal('voice_unavailable') : Promise.resolve()),
  });
  await conversation.speak();
  expect(asked).toEqual(['create VOICE', 'create TEXT']);
  expect(did).toEqual(['stopped']);
  expect(state()).toMatchObject({ mode: 'text', microphone: 'off', notice: { code: 'voice_unavailable' } });
});

test('a microphone that is refused begins nothing, and is said', async () => {
  vi.stubGlobal('navigator', { mediaDevices: {} });
  const { conversation, asked, state } = open({ microphone: notFound });
  await conversation.speak();
  vi.unstubAllGlobals();
  expect(asked).toEqual([]);
  expect(state()).toMatchObject({ phase: 'idle', microphone: 'off', notice: { code: 'microphone_denied' } });
});

test('back in writing the wish goes first, then the microphone is given back', async () => {
  const { conversation, did, state } = open();
  await conversation.speak();
  await conversation.write();
  expect(did.slice(2)).toEqual(['stopped', 'wish text', 'drop']);
  expect(state()).toMatchObject({ mode: 'text', microphone: 'off' });
});

test('an agent that cannot speak says so, and the conversation goes on in writing', async () => {
  const { conversation, inRoom, did, state } = open();
  await conversation.speak();
  (await inRoom()).agentMode?.('unavailable');
  await vi.waitFor(() => expect(did).toContain('drop'));
  expect(state()).toMatchObject({ mode: 'text', notice: { code: 'voice_unavailable' } });
});

test('another tab that takes the conversation has it: this one does not take it back by itself', async () => {
  const { conversation, asked, inRoom, state } = open();
  conversation.say('one');
  (await inRoom()).lost('replaced');
  expect(state()).toMatchObject({ connection: 'elsewhere', notice: { code: 'elsewhere' } });
  expect(asked).toEqual(['create TEXT']);
  await conversation.rejoin();
  expect(asked).toEqual(['create TEXT', 'read']);
  expect(state()).toMatchObject({ connection: 'connected', notice: undefined });
});

test('a microphone that the room does not take leaves a written conversation, in the same room', async () => {
  const { conversation, asked, did, state } = open({ publish: () => Promise.reject(new Error('no')) });
  await conversation.speak();
  expect(asked).toEqual(['create VOICE']);
  expect(did).not.toContain('leave');
  expect(state()).toMatchObject({
    connection: 'connected',
    microphone: 'off',
    mode: 'text',
    notice: { code: 'network' },
  });
});

test('a tab that is replaced while it joins does not take the conversation back either', async () => {
  const joins = [async () => undefined, () => Promise.reject(new Replaced()), async () => undefined];
  const { conversation, asked, inRoom, state } = open({ join: async () => joins.shift()?.() });
  conversation.say('one');
  (await inRoom()).lost();
  await vi.waitFor(() => expect(state()).toMatchObject({ connection: 'elsewhere', notice: { code: 'elsewhere' } }));
  expect(asked).toEqual(['create TEXT', 'read']);
  await conversation.rejoin();
  expect(state()).toMatchObject({ connection: 'connected', notice: undefined });
});

test('a room that cannot be joined once the person has begun another conversation leaves that one alone', async () => {
  const first = Promise.withResolvers<void>();
  const joins = [first.promise, Promise.resolve()];
  const { conversation, asked, inRoom, state } = open({ join: async () => joins.shift() });
  conversation.say('one');
  await vi.waitFor(() => expect(joins).toHaveLength(1));
  conversation.clear();
  conversation.say('two');
  await inRoom();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  first.reject(new Error('no way in'));
  await new Promise(setImmediate);
  expect(asked).toEqual(['create TEXT', 'create TEXT']);
});

test('a room that is lost is joined again, and is over where the session is', async () => {
  let isOver = false;
  const { conversation, asked, inRoom, state } = open({
    read: () => (isOver ? refusal('session_ended', 409) : Promise.resolve()),
  });
  conversation.say('one');
  const room = await inRoom();
  room.lost();
  await vi.waitFor(() => expect(asked).toEqual(['create TEXT', 'read']));
  isOver = true;
  room.lost();
  await vi.waitFor(() => expect(state().phase).toBe('ended'));
  expect(asked.at(-1)).toBe('end');
});

test('a key that holds no longer is said, whether the conversation is to be joined again or ended, and nobody tries on', async () => {
  const revoked = () => refusal('invalid_api_key', 401);
  const joining = open({ read: revoked });
  joining.conversation.say('one');
  (await joining.inRoom()).lost();
  await vi.waitFor(() => expect(joining.state()).toMatchObject({ phase: 'ended', notice: { code: 'agent_disabled' } }));
  expect(joining.asked).toEqual(['create TEXT', 'read']);
  const ending = open({ end: revoked });
  ending.conversation.say('one');
  await ending.inRoom();
  await vi.waitFor(() => expect(ending.state().phase).toBe('talking'));
  await ending.conversation.end();
  expect(ending.state()).toMatchObject({ phase: 'ended', notice: { code: 'agent_disabled' } });
  expect(ending.did).toContain('leave');
});

test('a page that was loaded again goes on: the same session, what was said, and the last texts under their ids', async () => {
  const entries = [
    { id: 'p1', from: 'person' as const, text: 'one', delivery: 'sent' as const },
    { id: 'r1', from: 'agent' as const, text: 'On', progress: 'streaming' as const },
  ];
  const remembered = { sessionId: 's_1', language: 'en', entries, isOpen: true, wasSpoken: false };
  const { asked, sent, inRoom, state } = open({ remembered });
  (await inRoom()).agentArrived();
  await vi.waitFor(() => expect(sent).toEqual([['p1', 'one']]));
  expect(asked).toEqual(['read']);
  expect(state()).toMatchObject({ phase: 'talking', sessionId: 's_1' });
});

test('only the person ends it by request, and begins another one by writing', async () => {
  const { conversation, asked, inRoom, state } = open();
  conversation.say('one');
  await inRoom();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  await conversation.end();
  expect(asked).toEqual(['create TEXT', 'end']);
  expect(state().phase).toBe('ended');
  conversation.say('two');
  await vi.waitFor(() => expect(asked).toEqual(['create TEXT', 'end', 'create TEXT']));
  expect(state().entries.map(({ text }) => text)).toEqual(['two']);
});

test('what is stopped is waited for no more, until the next word', async () => {
  const { conversation, did, inRoom, state } = open();
  conversation.say('one');
  const room = await inRoom();
  room.agentArrived();
  await vi.waitFor(() => expect(awaitsReply(state())).toBe(true));
  room.agentState('thinking');
  expect(mayBeStopped(state())).toBe(true);
  conversation.interrupt();
  expect(did).toContain('interrupt');
  expect([awaitsReply(state()), mayBeStopped(state())]).toEqual([false, false]);
  room.replyBegan('r1');
  expect(mayBeStopped(state())).toBe(true);
});

test('who chooses to write while they are asked for their microphone has not given it, and two presses ask once', async () => {
  const given = Promise.withResolvers<void>();
  let asks = 0;
  const { conversation, asked, did, state } = open({
    microphone: async () => {
      asks += 1;
      await given.promise;
      return { stop: () => did.push('stopped') } as unknown as Microphone;
    },
  });
  const speaking = Promise.all([conversation.speak(), conversation.speak()]);
  await conversation.write();
  given.resolve();
  await speaking;
  expect([asks, asked, did]).toEqual([1, [], ['stopped']]);
  expect(state()).toMatchObject({ phase: 'idle', mode: 'text', microphone: 'off' });
});

test('a room that is lost while the person speaks is spoken in again once it is joined again', async () => {
  const { conversation, did, inRoom, state } = open();
  await conversation.speak();
  const before = did.length;
  (await inRoom()).lost();
  expect(state()).toMatchObject({ mode: 'voice', microphone: 'off' });
  await vi.waitFor(() => expect(state()).toMatchObject({ connection: 'connected', microphone: 'on' }));
  expect(did.slice(before)).toEqual(['stopped', 'leave', 'publish', 'wish voice']);
});

test('who cannot speak again after it goes on in writing, and the agent is told', async () => {
  vi.stubGlobal('navigator', { mediaDevices: {} });
  const microphones = [async () => ({ stop: () => undefined }) as unknown as Microphone, notFound];
  const { conversation, did, inRoom, state } = open({ microphone: () => microphones.shift()?.() ?? notFound() });
  await conversation.speak();
  (await inRoom()).lost();
  await vi.waitFor(() => expect(did.at(-1)).toBe('wish text'));
  vi.unstubAllGlobals();
  expect(state()).toMatchObject({ mode: 'text', microphone: 'off', notice: { code: 'microphone_denied' } });
});

test('a page that was spoken in and is loaded again goes on in writing, and tells the agent so', async () => {
  const remembered = { sessionId: 's_1', language: 'en', entries: [], isOpen: true, wasSpoken: true };
  const { did, state } = open({ remembered });
  await vi.waitFor(() => expect(did).toEqual(['wish text']));
  expect(state()).toMatchObject({ mode: 'text', microphone: 'off' });
});

test('a page that is loaded again while the agent is awaited still says how long that takes', async () => {
  const remembered = { sessionId: 's_1', language: 'en', entries: [], isOpen: true, wasSpoken: false };
  const { inRoom, state } = open({ remembered, agentWithinSeconds: 40 });
  await inRoom();
  expect(state()).toMatchObject({ connection: 'connected', agentWithinSeconds: 40 });
});

test('whoever wrote what reached nobody before it was over is told that it is', async () => {
  const { conversation, inRoom, state } = open({ read: () => refusal('session_ended', 409) });
  conversation.say('one');
  const room = await inRoom();
  room.agentArrived();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  conversation.online(false);
  conversation.say('two');
  room.lost();
  await vi.waitFor(() => expect(state()).toMatchObject({ phase: 'ended', notice: { code: 'session_ended' } }));
});

test('who ends it before it is there leaves no session behind', async () => {
  const made = Promise.withResolvers<void>();
  const { conversation, asked, state } = open({ create: () => made.promise });
  conversation.say('one');
  await vi.waitFor(() => expect(asked).toEqual(['create TEXT']));
  await conversation.end();
  expect(state().phase).toBe('idle');
  made.resolve();
  await vi.waitFor(() => expect(asked).toEqual(['create TEXT', 'end']));
});

test('the microphone that was chosen is the one that is taken the next time', async () => {
  const taken: (string | undefined)[] = [];
  const { conversation, did } = open({
    microphone: async (deviceId) => {
      taken.push(deviceId);
      return { stop: () => undefined } as unknown as Microphone;
    },
  });
  await conversation.speak();
  await conversation.useMicrophone('headset');
  expect(did).toContain('device');
  await conversation.write();
  await conversation.speak();
  expect(taken).toEqual([undefined, 'headset']);
});
