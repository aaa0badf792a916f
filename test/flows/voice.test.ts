import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../services/store/sql.ts';
import { addAgents } from '../support/agent-files.ts';
import type { Customer } from '../support/customer.ts';
import { eventually } from '../support/eventually.ts';
import { localSpeechVariables } from '../support/local-speech.ts';
import { SpeakingPerson } from '../support/speaking-person.ts';
import { noise, silence, spoken } from '../support/speech-sound.ts';
import { lineOf, spokenTranscript } from '../support/spoken-transcript.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let polite: Customer;
let teller: Customer;

const story =
  'Once there was a miller who had three sons. The first one took the mill. The second one took the donkey. ' +
  'The third one took the cat, and nobody thought that it was worth anything. But the cat asked for a pair of boots.';

beforeAll(async () => {
  world = await startWorld({ workers: 0, env: await localSpeechVariables() });
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
});

/** The transcript, once it has `count` lines. */
const transcript = (sessionId: string, count: number) => spokenTranscript(world, sessionId, count);

describe('a spoken conversation', () => {
  test('is greeted aloud, understood, answered aloud, captioned on both sides, and stored as it was said', async () => {
    const session = await polite.createSession({ interactionMode: 'VOICE' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^Welcome to the echo\.$/);
    expect(person.sounds).not.toHaveLength(0);
    await person.hearsSilence();
    for (const [words, answer] of [
      ['hello my friend', /^Hello to you\.$/],
      ['thank you very much', /^You are welcome\.$/],
    ] as const) {
      const from = person.captions.length;
      await person.say(await spoken(words));
      await person.hearsSound({ since: person.spokeUntil });
      await person.reads(answer, { from });
      await person.hearsSilence();
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
    await polite.endSession(session.sessionId);
  });

  test('is in the language that the session chose', async () => {
    const session = await polite.createSession({ interactionMode: 'VOICE', language: 'de' });
    await using person = await SpeakingPerson.join(session);
    await person.reads(/^Willkommen beim Echo\.$/);
    await person.hearsSilence();
    await person.say(await spoken('vielen Dank und auf Wiedersehen', { voice: 'de' }));
    await person.reads(/^Bitte sehr\.$/);
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
