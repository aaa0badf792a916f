import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRooms } from '../../../services/core/rooms/rooms.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { SpeakingPerson } from '../../support/people/speaking-person.ts';
import { noise, silence, spoken } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';
import { type Listener, openListener } from '../../support/people/understood.ts';
import { voicePitch } from '../../support/people/voice-pitch.ts';
import { addAgents } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let polite: Customer;
let teller: Customer;
let listener: Listener;

const story =
  'Once there was a miller who had three sons. The first one took the mill. The second one took the donkey. ' +
  'The third one took the cat, and nobody thought that it was worth anything. But the cat asked for a pair of boots.';

/** What the agent says, among what it might as well have said by the sound of it. */
const sentences = {
  en: ['welcome to the echo', 'welcome to the hotel', 'hello to you', 'hello to me', 'you are welcome', 'you are well'],
  de: ['willkommen beim echo', 'willkommen beim essen', 'bitte sehr', 'bitte nicht', 'wie bitte'],
};

beforeAll(async () => {
  const variables = await localSpeechVariables();
  listener = openListener(variables, sentences);
  world = await startWorld({ workers: 0, env: variables });
  await addAgents(world, {
    polite: {
      script: {
        fallback: { en: 'Pardon?', de: 'Wie bitte?' },
        rules: [
          { when: '^hello my friend$', language: 'en', say: 'Hello to you.' },
          { when: '^thank you very much$', language: 'en', say: 'You are welcome.' },
          { when: '^vielen Dank und auf Wiedersehen$', language: 'de', say: 'Bitte sehr.' },
        ],
      },
    },
    // As polite, but to be written to only.
    reserved: {
      sessions: { microphone: false },
      script: { fallback: 'Pardon?', rules: [{ when: '^good day$', say: 'Good day.' }] },
    },
    teller: {
      script: {
        fallback: 'Pardon?',
        rules: [
          { when: '^hello', say: story },
          { when: '^stop the story$', say: 'I have stopped.' },
          { when: '^okay$', say: 'You said okay.' },
        ],
      },
      languages: [{ code: 'en', name: 'English' }],
    },
  });
  polite = await world.customer('polite');
  teller = await world.customer('teller');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await listener?.[Symbol.asyncDispose]();
});

/** What somebody who hears the call understands of the agent since then; the agent has finished. */
const heardOf = (person: SpeakingPerson, since: number, language = 'en') =>
  listener.understands(person.recording(since, performance.now()), language);

/** The transcript, once it has `count` lines. */
const transcript = (sessionId: string, count: number) => spokenTranscript(world, sessionId, count);

describe('a spoken conversation', () => {
  test('is greeted aloud, understood, answered aloud, captioned on both sides, and stored as it was said', {
    tags: 'quick',
  }, async () => {
    const session = await polite.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^Welcome to the echo\.$/);
    await person.hearsSilence();
    expect(await heardOf(person, 0)).toBe('welcome to the echo');
    // Its default voice, Eva; Tom's is below.
    expect(session.voiceId).toBe('eva');
    expect(voicePitch(person.recording(0, performance.now()))).toBeGreaterThan(170);
    for (const [words, answer, understood] of [
      ['hello my friend', /^Hello to you\.$/, 'hello to you'],
      ['thank you very much', /^You are welcome\.$/, 'you are welcome'],
    ] as const) {
      const from = person.captions.length;
      await person.say(await spoken(words));
      await person.hearsSound({ since: person.spokeUntil });
      await person.reads(answer, { from });
      await person.hearsSilence();
      expect(await heardOf(person, person.spokeUntil)).toBe(understood);
    }
    expect(person.captionsOf('person', { final: true })).toEqual(['hello my friend', 'thank you very much']);
    expect((await transcript(session.sessionId, 5)).map(lineOf)).toEqual([
      'ASSISTANT VOICE: Welcome to the echo.',
      'USER VOICE: hello my friend',
      'ASSISTANT VOICE: Hello to you.',
      'USER VOICE: thank you very much',
      'ASSISTANT VOICE: You are welcome.',
    ]);
    const [timed] = await world.admin.query<{ timing: Record<string, number> }>(
      sql`select timing from messages where session_id = ${session.sessionId} and sequence = 3`,
    );
    expect(Object.keys(timed?.timing ?? {}).sort()).toEqual(
      ['endpointing', 'firstSound', 'firstToken', 'playout', 'recognition'].sort(),
    );
    expect(timed?.timing.playout).toBeGreaterThan(500);
    const metrics = await (await fetch(`http://127.0.0.1:${world.hosts[0]?.internalPort}/metrics`)).text();
    for (const part of Object.keys(timed?.timing ?? {})) {
      expect(metrics).toMatch(
        new RegExp(`^parley_turn_part_seconds_count\\{part="${part}",mode="VOICE"\\} [1-9]`, 'm'),
      );
    }
    await polite.endSession(session.sessionId);
  });

  test('is in the language that the session chose', async () => {
    const session = await polite.createSession({ interactionMode: 'VOICE', language: 'de' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^Willkommen beim Echo\.$/);
    await person.hearsSilence();
    expect(await heardOf(person, 0, 'de')).toBe('willkommen beim echo');
    await person.say(await spoken('vielen Dank und auf Wiedersehen', { voice: 'de' }));
    await person.reads(/^Bitte sehr\.$/);
    await person.hearsSilence();
    expect(await heardOf(person, person.spokeUntil, 'de')).toBe('bitte sehr');
    await polite.endSession(session.sessionId);
  });

  test('is by the voice that the session chose among those of its language', async () => {
    const languages = await (await polite.call('GET', '/api/sessions/languages')).json();
    expect(languages.languageConfigs[0].availableVoices).toEqual([
      { id: 'eva', name: 'Eva', default: true },
      { id: 'tom', name: 'Tom', default: false },
    ]);
    const session = await polite.createSession({ interactionMode: 'VOICE', voiceId: 'tom' });
    expect(session.voiceId).toBe('tom');
    await using person = await SpeakingPerson.join(session, { microphone: false });
    await person.reads(/^Welcome to the echo\.$/);
    await person.hearsSilence();
    expect(voicePitch(person.recording(0, performance.now()))).toBeLessThan(140);
    await polite.endSession(session.sessionId);
  });

  test('answers aloud what the person types, with or without a microphone', async () => {
    const session = await polite.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session, { microphone: false });
    await person.reads(/^Welcome/);
    await person.hearsSilence();
    const typedAt = performance.now();
    await person.write('It is loud here');
    await person.hearsSound({ since: typedAt });
    await person.reads(/^Pardon\?$/);
    expect((await transcript(session.sessionId, 3)).map(lineOf).slice(1)).toEqual([
      'USER TEXT: It is loud here',
      'ASSISTANT VOICE: Pardon?',
    ]);
    await polite.endSession(session.sessionId);
  });

  test('shows what the agent is doing', async () => {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    const state = (name: string) =>
      eventually(`the agent is ${name}`, () => person.agentState === name, { everyMs: 5 });
    await state('listening');
    await person.write('hello');
    await state('speaking');
    await person.say(await spoken('stop the story'));
    await person.reads(/^I have stopped\.$/);
    await state('listening');
    await teller.endSession(session.sessionId);
  });
});

test('a written conversation becomes spoken when the person takes a microphone, with its history', async () => {
  const session = await polite.createSession({ interactionMode: 'TEXT' });
  await using person = await SpeakingPerson.join(session, { microphone: false });
  await person.reads(/^Welcome/);
  await person.write('written words');
  await person.reads(/^Pardon\?$/);
  expect(person.sounds).toEqual([]);
  await person.takeMicrophone();
  await person.say(await spoken('thank you very much'));
  await person.hearsSound({ since: person.spokeUntil });
  await person.reads(/^You are welcome\.$/);
  expect((await transcript(session.sessionId, 5)).map(lineOf)).toEqual([
    'ASSISTANT TEXT: Welcome to the echo.',
    'USER TEXT: written words',
    'ASSISTANT TEXT: Pardon?',
    'USER VOICE: thank you very much',
    'ASSISTANT VOICE: You are welcome.',
  ]);
  await polite.endSession(session.sessionId);
});

test('a spoken conversation goes on in writing when the person wants to read, and aloud when they want to hear again', async () => {
  const session = await polite.createSession({ interactionMode: 'VOICE' });
  await using person = await SpeakingPerson.join(session);
  await person.reads(/^Welcome/);
  await person.hearsSilence();
  await person.wants('text');
  await eventually('the agent says that it writes', () => person.agentMode === 'text');
  const wroteAt = performance.now();
  const saidMeanwhile = person.say(await spoken('thank you very much'));
  await person.write('written words');
  await person.reads(/^Pardon\?$/);
  await person.hearsSilence();
  expect(person.sounds.filter(({ from }) => from > wroteAt)).toEqual([]);
  // What is still being said when the agent listens again is heard.
  await saidMeanwhile;
  await person.wants('voice');
  await eventually('the agent says that it speaks', () => person.agentMode === 'voice');
  await person.say(await spoken('thank you very much'));
  await person.hearsSound({ since: person.spokeUntil });
  await person.reads(/^You are welcome\.$/);
  expect((await transcript(session.sessionId, 5)).map(lineOf)).toEqual([
    'ASSISTANT VOICE: Welcome to the echo.',
    'USER TEXT: written words',
    'ASSISTANT TEXT: Pardon?',
    'USER VOICE: thank you very much',
    'ASSISTANT VOICE: You are welcome.',
  ]);
  await polite.endSession(session.sessionId);
});

test('a written conversation stays written where the agent does not permit a microphone', async () => {
  const reserved = await world.customer('reserved');
  const session = await reserved.createSession({ interactionMode: 'TEXT' });
  await using person = await SpeakingPerson.join(session, { microphone: false });
  await person.reads(/^Welcome/);
  await person.takeMicrophone().catch(() => undefined);
  await person.say(await spoken('good day'));
  await person.write('good day');
  await person.reads(/^Good day\.$/);
  expect(person.sounds).toEqual([]);
  expect((await transcript(session.sessionId, 3)).map(lineOf).slice(1)).toEqual([
    'USER TEXT: good day',
    'ASSISTANT TEXT: Good day.',
  ]);
  await reserved.endSession(session.sessionId);
});

describe('a person who speaks over the agent', () => {
  /** In a conversation in which the agent has been telling its story for two seconds. */
  async function listening() {
    const session = await teller.createSession({ interactionMode: 'VOICE' });
    const person = await SpeakingPerson.join(session);
    const typedAt = performance.now();
    await person.write('hello');
    const began = await person.hearsSound({ since: typedAt });
    await eventually('the story has gone on for a while', () => performance.now() - began.from > 2_000, { everyMs: 5 });
    return { session, person };
  }

  test('is heard at once, and what was not said by then is neither stored nor remembered as said', async () => {
    const { session, person } = await listening();
    await using _ = person;
    await person.say(await spoken('stop the story'));
    await person.reads(/^I have stopped\.$/);
    const lines = await transcript(session.sessionId, 4);
    const told = lines[1];
    expect(told).toMatchObject({ role: 'ASSISTANT', interrupted: true });
    expect(story.startsWith(told?.content ?? '?')).toBe(true);
    expect(told?.content.length).toBeLessThan(story.length / 2);
    expect(lines.slice(2).map(lineOf)).toEqual(['USER VOICE: stop the story', 'ASSISTANT VOICE: I have stopped.']);
    await teller.endSession(session.sessionId);
  });

  test('by writing is answered at once, and the story ends there', async () => {
    const { session, person } = await listening();
    await using _ = person;
    await person.write('stop the story');
    await person.reads(/^I have stopped\.$/);
    const lines = await transcript(session.sessionId, 4);
    expect(lines[1]).toMatchObject({ role: 'ASSISTANT', interrupted: true });
    expect(lines[1]?.content.length).toBeLessThan(story.length / 2);
    expect(lines.slice(2).map(lineOf)).toEqual(['USER TEXT: stop the story', 'ASSISTANT VOICE: I have stopped.']);
    await teller.endSession(session.sessionId);
  });

  test('only to show that they listen hears the story to its end, and is not answered', async () => {
    const { session, person } = await listening();
    await using _ = person;
    await person.say(await spoken('okay'));
    const told = await person.reads(/boots\.$/);
    expect(told.text).toBe(story);
    expect((await transcript(session.sessionId, 2)).map(({ content, interrupted }) => [content, interrupted])).toEqual([
      ['hello', false],
      [story, false],
    ]);
    await teller.endSession(session.sessionId);
  });
});

test('everybody in the room is heard, under their own name', async () => {
  const session = await polite.createSession({ interactionMode: 'VOICE' });
  await using person = await SpeakingPerson.join(session);
  await person.reads(/^Welcome/);
  await person.hearsSilence();
  const rooms = openRooms({ ...world.rooms, publicUrl: world.rooms.url });
  const token = rooms.personToken(person.room.name ?? '', 'friend', { ttlMs: 60_000, camera: false });
  await using friend = await SpeakingPerson.join({ wsUrl: session.wsUrl, token });
  await person.say(await spoken('hello my friend'));
  await person.reads(/^Hello to you\.$/);
  await person.hearsSilence();
  await friend.say(await spoken('thank you very much'));
  await person.reads(/^You are welcome\.$/);
  await person.hearsSilence();
  await friend.leave();
  await person.say(await spoken('thank you very much'));
  await eventually('the first one is still heard', () => person.captionsOf('agent').length === 4);
  expect(person.captionsOf('person', { final: true })).toEqual(['hello my friend', 'thank you very much']);
  expect(person.captionsOf('friend', { final: true })).toEqual(['thank you very much']);
  await polite.endSession(session.sessionId);
});

test('noise and silence are no words: nothing is answered', async () => {
  const session = await polite.createSession({ interactionMode: 'VOICE' });
  await using person = await SpeakingPerson.join(session);
  await person.reads(/^Welcome/);
  await person.say(noise(1_500));
  await person.say(silence(1_500));
  await person.say(noise(300, 3_000));
  await person.say(silence(500));
  await person.say(await spoken('thank you very much'));
  await person.reads(/^You are welcome\.$/);
  expect(person.captionsOf('agent')).toEqual(['Welcome to the echo.', 'You are welcome.']);
  await polite.endSession(session.sessionId);
});
