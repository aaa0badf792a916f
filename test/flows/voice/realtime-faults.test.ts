import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { RealtimeCalls, story } from '../../support/people/realtime-calls.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { noise, spoken } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';

let calls: RealtimeCalls;

beforeAll(async () => {
  calls = await RealtimeCalls.start();
});

beforeEach(() => calls.mend());

afterAll(async () => {
  await calls?.[Symbol.asyncDispose]();
});

/** Whatever happened, the person is heard and hears. */
async function goesOn(person: SpeakingPerson): Promise<void> {
  await person.hearsSilence();
  await calls.speak(person, 'still there');
  await person.reads(/^You said: still there$/);
}

describe('the person is told when something breaks, and the conversation goes on', () => {
  test.each([
    ['an answer that stalls in the middle', { text: story, stall: 8 }],
    ['an answer whose connection is lost in the middle', { text: story, drop: 8 }],
    ['an answer that fails', { fails: 'server_error' }],
  ])('%s', async (_, broken) => {
    const { session, person } = await calls.call();
    await using __ = person;
    calls.model.reply(({ text }) => (text === 'break' ? broken : { text: `You said: ${text}` }));
    await calls.speak(person, 'break');
    const since = performance.now();
    await person.reads(/^Excuse me\.$/);
    await person.hearsSound({ since });
    await goesOn(person);
    expect(person.captionsOf('agent').filter((line) => line === 'Excuse me.')).toHaveLength(1);
    await calls.customer.endSession(session.sessionId);
  });

  test.each(['reset', 'silently'] as const)('a connection that is lost (%s) while they speak', async (how) => {
    const { session, person } = await calls.call();
    await using _ = person;
    const since = performance.now();
    calls.model.losesSpeaker = how;
    await eventually('the connection is lost', async () => {
      await person.say(noise(1_000, 6_000));
      return calls.model.losesSpeaker === undefined;
    });
    await person.reads(/^Excuse me\.$/);
    await person.hearsSound({ since });
    await goesOn(person);
    await calls.customer.endSession(session.sessionId);
  });
});

test('a connection that is lost while nobody speaks is made again, and what was said is remembered', async () => {
  const { session, person } = await calls.call();
  await using _ = person;
  await calls.speak(person, 'my name is Ada');
  await person.reads(/my name is Ada$/);
  await person.hearsSilence();
  const connections = calls.server.requests.length;
  calls.model.disconnect('reset');
  await eventually('there is another one', () => calls.server.requests.length > connections);
  calls.model.reply(({ items }) => ({ text: `Known: ${JSON.stringify(items).includes('my name is Ada')}` }));
  calls.model.hears.push('who am I');
  await person.sayUntilAnswered(await spoken('hello my friend'), /^Known: true$/);
  await calls.customer.endSession(session.sessionId);
});

describe('a session ends with its reason, and what could not be said aloud is there to be read', () => {
  test.each([
    ['a key that is refused', () => (calls.server.fault = 401)],
    ['a quota that is used up', () => (calls.model.refuses = 'insufficient_quota')],
  ])('%s from the beginning', async (_, breakIt) => {
    breakIt();
    const session = await calls.customer.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    expect(await calls.endOf(session.sessionId)).toBe('provider_failed');
    // The end is known to the database before the last packet is read here.
    await person.reads(/^Welcome to the model\.$/);
    expect(person.captionsOf('agent')[0]).toBe('Welcome to the model.');
  });

  test('a quota that is used up in the middle', async () => {
    const { session, person } = await calls.call();
    await using _ = person;
    calls.model.refuses = 'insufficient_quota';
    await calls.speak(person, 'and now');
    await person.reads(/^Excuse me\.$/);
    expect(await calls.endOf(session.sessionId)).toBe('provider_failed');
  });

  test('a key that is refused in the middle', async () => {
    const { session, person } = await calls.call();
    await using _ = person;
    calls.server.fault = 401;
    calls.model.disconnect('reset');
    await person.reads(/^Excuse me\.$/);
    expect(await calls.endOf(session.sessionId)).toBe('provider_failed');
  });
});

test('"mm-hm" does not stop it: what it says is heard and stored whole', async () => {
  const { session, person } = await calls.call();
  await using _ = person;
  calls.model.reply(() => ({ text: story }));
  await calls.speak(person, 'tell me');
  const began = await person.hearsSound({ since: person.spokeUntil });
  await eventually('the story has gone on for a while', () => performance.now() - began.from > 2_000, { everyMs: 5 });
  await calls.speak(person, 'mm-hm');
  await person.reads(/pair of boots\.$/);
  const lines = await spokenTranscript(calls.world, session.sessionId, 3);
  expect(lines.map(lineOf)).toEqual([
    'ASSISTANT VOICE: Welcome to the model.',
    'USER VOICE: tell me',
    `ASSISTANT VOICE: ${story}`,
  ]);
  expect(lines[2]).toMatchObject({ interrupted: false });
  await calls.customer.endSession(session.sessionId);
});

test('a person who comes back is heard again, and nothing is forgotten', async () => {
  const { session, person } = await calls.call();
  await calls.speak(person, 'my name is Ada');
  await person.reads(/my name is Ada$/);
  await person.leave();
  await using again = await SpeakingPerson.join(session);
  calls.model.reply(({ items }) => ({ text: `Known: ${JSON.stringify(items).includes('my name is Ada')}` }));
  calls.model.hears.push('who am I');
  await again.sayUntilAnswered(await spoken('hello my friend'), /^Known: true$/);
  await calls.customer.endSession(session.sessionId);
});
