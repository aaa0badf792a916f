import { expect, onTestFinished, test, vi } from 'vitest';
import type { Api } from '../api-client.ts';
import { ApiProblem } from '../request.ts';
import type { JoinedRoom, RoomEvents } from '../room-client.ts';
import type { Figures, SessionDetails } from '../shapes.ts';
import { holdConversation } from './conversation.ts';
import { beginState, type Fact, learn } from './state.ts';

const agent = { agent: 'a', name: 'A', apiKey: 'pk_x', languages: [] };
const connection = { sessionId: 's_1', wsUrl: 'ws://room', token: 't' };
const figures: Figures = {
  endReason: 'client_ended',
  startedAt: null,
  endedAt: null,
  durationSeconds: 7,
  billedSeconds: 6,
};
const over = new ApiProblem(409, 'session_ended', 'This session is over.');
const hidden = new ApiProblem(404, 'not_found', 'Nothing here.');

/** A conversation whose service and room are played by the test. */
function play(service: Partial<Api> = {}, takeMicrophone: (on: boolean) => Promise<void> = async () => {}) {
  const sent: string[] = [];
  const entered: RoomEvents[] = [];
  const left = vi.fn(async () => {});
  let state = beginState(agent, 'en');
  const api = {
    createSession: vi.fn(async () => connection),
    readSession: vi.fn(async () => connection),
    endSession: vi.fn(async () => figures),
    endSessionOnLeave: vi.fn(),
    readDetails: vi.fn(async (): Promise<SessionDetails> => Promise.reject(hidden)),
    ...service,
  } as unknown as Api;
  const join = async (_connection: unknown, on: RoomEvents): Promise<JoinedRoom> => {
    entered.push(on);
    on.connection('connected');
    return {
      send: async (_id, text) => void sent.push(text),
      setMicrophone: takeMicrophone,
      loudness: () => ({ person: 0, agent: 0 }),
      interrupt: async () => {},
      leave: left,
    };
  };
  const conversation = holdConversation(
    {
      api,
      join,
      learn: (fact: Fact) => {
        state = learn(state, fact);
      },
    },
    agent,
    'en',
  );
  return { conversation, api, sent, entered, left, state: () => state };
}

const room = (entered: RoomEvents[]) => {
  const current = entered.at(-1);
  if (!current) throw new Error('no room was joined');
  return current;
};

test('what is written before the room is joined is sent in its order once it is', async () => {
  const { conversation, sent, state } = play();
  conversation.say('first');
  conversation.say('second');
  expect(sent).toEqual([]);
  await vi.waitFor(() => expect(sent).toEqual(['first', 'second']));
  await vi.waitFor(() => expect(state().entries).toMatchObject([{ delivery: 'sent' }, { delivery: 'sent' }]));
});

test('what is written while the connection is away waits for it', async () => {
  const { conversation, sent, entered, state } = play();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  room(entered).connection('reconnecting');
  conversation.say('still there?');
  expect(state().entries).toMatchObject([{ delivery: 'waiting' }]);
  room(entered).connection('connected');
  await vi.waitFor(() => expect(sent).toEqual(['still there?']));
});

test('what an agent may have died with is sent again to the next one', async () => {
  const { conversation, sent, entered, state } = play();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  conversation.say('are you there?');
  await vi.waitFor(() => expect(sent).toEqual(['are you there?']));
  room(entered).agentArrived();
  await vi.waitFor(() => expect(sent).toEqual(['are you there?', 'are you there?']));
  expect(state().entries).toHaveLength(1);
});

test('a lost room is joined again with fresh credentials', async () => {
  const { api, entered, state } = play();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  room(entered).lost();
  expect(state().connection).toBe('reconnecting');
  await vi.waitFor(() => expect(entered).toHaveLength(2));
  expect(api.readSession).toHaveBeenCalledOnce();
  expect(state().connection).toBe('connected');
});

test('a room that closed because the session is over leads to its figures', async () => {
  const { entered, state } = play({ readSession: async () => Promise.reject(over) });
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  room(entered).lost();
  await vi.waitFor(() => expect(state()).toMatchObject({ phase: 'ended', figures: { billedSeconds: 6 } }));
});

test('the room that closes while the end is on its way is not joined again', async () => {
  const answer = Promise.withResolvers<Figures>();
  const { conversation, api, entered, state } = play({ endSession: () => answer.promise });
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  const ending = conversation.end();
  room(entered).lost();
  answer.resolve(figures);
  await ending;
  expect(state().phase).toBe('ended');
  expect(api.readSession).not.toHaveBeenCalled();
});

test('an end that was refused says why, and the conversation goes on', async () => {
  const refusal = new ApiProblem(503, 'unavailable', 'The database cannot be reached.');
  const { conversation, state, left } = play({ endSession: async () => Promise.reject(refusal) });
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  await conversation.end();
  expect(state()).toMatchObject({ phase: 'talking', problem: 'The database cannot be reached.' });
  expect(left).not.toHaveBeenCalled();
});

test('an end that found no service is tried again by itself, unless the person goes on talking', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const away = new ApiProblem(0, 'unreachable', 'The API does not answer.');
  const endSession = vi.fn(async (): Promise<Figures> => Promise.reject(away));
  const { conversation, state } = play({ endSession });
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  await conversation.end();
  conversation.say('wait');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(endSession).toHaveBeenCalledOnce();
  await conversation.end();
  expect(state()).toMatchObject({ phase: 'talking', problem: 'The API does not answer.' });
  await vi.advanceTimersByTimeAsync(1_000);
  endSession.mockResolvedValue(figures);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(state()).toMatchObject({ phase: 'ended', figures, problem: undefined });
});

test('a session that was refused is told in the words of the service', async () => {
  const refusal = new ApiProblem(503, 'no_capacity', 'No agent host has room.');
  const { state } = play({ createSession: async () => Promise.reject(refusal) });
  await vi.waitFor(() => expect(state()).toMatchObject({ phase: 'refused', problem: 'No agent host has room.' }));
});

test('a page that closes ends its session, once', async () => {
  const { conversation, api, state } = play();
  await vi.waitFor(() => expect(state().phase).toBe('talking'));
  conversation.abandon();
  expect(api.endSessionOnLeave).toHaveBeenCalledWith(agent, 's_1');
  await conversation.end();
  conversation.abandon();
  expect(api.endSessionOnLeave).toHaveBeenCalledOnce();
});

test('a session that arrives after the person turned away is ended', async () => {
  const answer = Promise.withResolvers<typeof connection>();
  const { conversation, api, entered } = play({ createSession: () => answer.promise });
  conversation.forget();
  answer.resolve(connection);
  await vi.waitFor(() => expect(api.endSessionOnLeave).toHaveBeenCalledWith(agent, 's_1'));
  expect(entered).toHaveLength(0);
});

test('outside development the page says that it is shown nothing', async () => {
  const { state } = play();
  await vi.waitFor(() => expect(state().detailsShown).toBe(false));
});

test('the microphone is taken when the person asks for it, muted and used again in every room of the conversation', async () => {
  const taken: boolean[] = [];
  const { conversation, entered, state } = play({}, async (on) => void taken.push(on));
  await vi.waitFor(() => expect(entered).toHaveLength(1));
  expect(state().microphone).toBe('off');
  await conversation.talk();
  expect(state().microphone).toBe('on');
  await conversation.mute(true);
  expect(state().microphone).toBe('muted');
  await conversation.mute(false);
  room(entered).lost();
  await vi.waitFor(() => expect(entered).toHaveLength(2));
  await vi.waitFor(() => expect(taken).toEqual([true, false, true, true]));
});

test('a microphone that is refused leaves the conversation written, and says so', async () => {
  const { conversation, entered, state } = play({}, () => Promise.reject(new Error('NotAllowedError')));
  await vi.waitFor(() => expect(entered).toHaveLength(1));
  await conversation.talk();
  expect(state()).toMatchObject({ microphone: 'off', problem: expect.stringContaining('Allow it') });
});

test.each([
  ['NotFoundError', 'There is no microphone here'],
  ['NotReadableError', 'in use by another program'],
  ['NotAllowedError', 'Allow it for this page'],
])('a microphone that cannot be used says why: %s', async (name, says) => {
  const { conversation, entered, state } = play({}, () => Promise.reject(new DOMException('no', name)));
  await vi.waitFor(() => expect(entered).toHaveLength(1));
  await conversation.talk();
  expect(state()).toMatchObject({ microphone: 'off', problem: expect.stringContaining(says) });
});

test('what the person is heard to say stands once, as it is known best', async () => {
  const { entered, state } = play();
  await vi.waitFor(() => expect(entered).toHaveLength(1));
  room(entered).heard('s1', 'thank');
  room(entered).heard('s1', 'thank you');
  expect(state().entries).toMatchObject([{ from: 'person', text: 'thank you', spoken: true }]);
});
