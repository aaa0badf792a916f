import { describe, expect, test } from 'vitest';
import type { Effect } from './effect.ts';
import type { Fact, Playout } from './fact.ts';
import { learn } from './learn.ts';
import { type Beginning, begin, type ConversationState } from './state.ts';

const rules = {
  epoch: 1,
  mostTurns: 100,
  mostTokens: 100_000,
  interruption: { enabled: true, minWords: 2 },
  microphone: true,
  isSpeechToSpeech: false,
};

/** The agent is heard, long after its first sound, and has more to say. */
const speaking: Playout = {
  isHeard: true,
  heardForMs: 20_000,
  sentence: 'We have two tables ',
  ahead: 'left tonight. The first is by the window.',
  language: 'en',
};

const microphone = 'TR_1';
const at = new Date(0);
const wordsOf = (text: string) => ({ text, segmentId: `said ${text}` });

const sustained = (playout?: Playout): Fact => ({ kind: 'speech_sustained', microphone, playout });
const known = (text: string, playout?: Playout): Fact => ({
  kind: 'words_known',
  microphone,
  words: wordsOf(text),
  playout,
});
const paused = (text: string, playout?: Playout): Fact => ({
  kind: 'speech_paused',
  microphone,
  words: wordsOf(text),
  playout,
});
const heard = (text: string, playout?: Playout): Fact => ({
  kind: 'speech_heard',
  microphone,
  words: wordsOf(text),
  text: { key: `said ${text}`, text, at, mode: 'VOICE' },
  playout,
});
const waits = (text: string): Fact => ({
  kind: 'text_waits',
  text: { text, sequence: Promise.resolve(1), begun: false },
});

function conversation(beginning: Partial<Beginning> = {}) {
  let state: ConversationState = begin({
    ...{ rules, isGreeted: true, isSpoken: true, isUnjoined: false, used: { turns: 0, tokens: 0 } },
    ...beginning,
  });
  let effects: Effect[] = [];
  const after = (...facts: Fact[]): Effect[] => {
    effects = [];
    for (const fact of facts) {
      const [next, more] = learn(state, fact);
      state = next;
      effects.push(...more);
    }
    return effects;
  };
  after({ kind: 'person_came', placeLapsed: false });
  return { after, state: () => state };
}

const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

/** A turn in which the model thinks, or says something. */
function inTurn() {
  const it = conversation();
  it.after(waits('a table, please'));
  return it;
}

describe('who speaks over the agent', () => {
  test('holds it, and cuts it as soon as their words are known to be meant', () => {
    const it = inTurn();
    expect(kinds(it.after(sustained(speaking)))).toContain('hold');
    expect(kinds(it.after(known('yeah', speaking)))).not.toContain('stop_speaking');
    expect(kinds(it.after(known('yeah but not by the window', speaking)))).toContain('stop_speaking');
  });

  test('and only listens is not answered, and the agent goes on', () => {
    const it = inTurn();
    it.after(sustained(speaking));
    const effects = it.after(paused('mm-hm', speaking));
    expect(kinds(effects)).toEqual(['caption', 'dismiss', 'release']);
  });

  test.for([
    ['is still to come', 'Shall I book it for ', 'you?'],
    ['was just begun', 'Shall I book it for you?', ''],
  ] as const)('answers the question whose last word %s: "yeah" is an answer (voice 4)', ([, sentence, ahead]) => {
    const it = inTurn();
    const asking: Playout = { ...speaking, sentence, ahead };
    const effects = it.after(heard('yeah', asking));
    expect(kinds(effects)).toContain('stop_speaking');
    // It is taken in once what it cut is stored.
    expect(it.state().cut?.texts.map(({ text }) => text)).toEqual(['yeah']);
  });

  test('of which the model had failed to give the end is answered, without an apology for it', () => {
    const it = inTurn();
    const { turn } = it.state().activity as { turn: number };
    it.after({ kind: 'thought', turn, failed: true, interrupted: false, tokens: 5 });
    it.after(heard('and at eight', speaking));
    it.after({ kind: 'told', output: turn, cut: true, hasWords: true, whole: true });
    const effects = it.after({ kind: 'turn_closed', turn });
    expect(kinds(effects)).toContain('take_in');
    expect(kinds(effects)).not.toContain('say');
  });

  test('and says "okay" while only the silence after the last word is heard is answered (voice 4)', () => {
    const it = conversation();
    const trailing: Playout = { ...speaking, sentence: 'Then I book the table by the window.', ahead: '' };
    expect(it.after(heard('okay', trailing))).toContainEqual({
      kind: 'take_in',
      text: { key: 'said okay', text: 'okay', at, mode: 'VOICE' },
    });
  });

  test('without a word, as a television does, keeps it silent for a moment only (voice 6)', () => {
    const it = inTurn();
    const [hold] = it.after(sustained(speaking)).filter(({ kind }) => kind === 'time_hold');
    if (hold?.kind !== 'time_hold') throw new Error('nobody looks at the clock');
    const overdue: Fact = { kind: 'hold_overdue', hold: hold.hold, playout: speaking };
    expect(kinds(it.after(overdue))).toEqual(['peek', 'time_hold']);
    expect(kinds(it.after(overdue))).toEqual(['release']);
  });

  test('and is in the middle of a long sentence keeps it silent as long as words come', () => {
    const it = inTurn();
    it.after(sustained(undefined));
    const overdue: Fact = { kind: 'hold_overdue', hold: 1, playout: { ...speaking, isHeard: false } };
    for (let word = 0; word < 5; word += 1) {
      it.after(known(`and then ${word}`));
      expect(kinds(it.after(overdue))).not.toContain('release');
    }
  });

  test('is not the agent itself: what comes back in the first seconds neither holds nor cuts it (voice 10)', () => {
    const it = inTurn();
    const first: Playout = { ...speaking, heardForMs: 400 };
    expect(kinds(it.after(sustained(first)))).toEqual(['mind_silence']);
    expect(kinds(it.after(known('two tables left', first)))).toEqual(['caption']);
    expect(kinds(it.after(paused('two tables left tonight', first)))).not.toContain('stop_speaking');
  });

  test('in the first seconds, with words of their own, cuts it all the same (voice 10)', () => {
    const it = inTurn();
    expect(kinds(it.after(known('no wait please', { ...speaking, heardForMs: 400 })))).toContain('stop_speaking');
  });

  test('while a tool is at work is answered after it: neither the call nor the filler is cut (voice 11)', () => {
    const it = inTurn();
    it.after({ kind: 'tool_began', interruptible: false }, sustained(speaking));
    const effects = it.after(known('are you still there', speaking), heard('are you still there', speaking));
    expect(kinds(effects)).not.toContain('stop_speaking');
    expect(kinds(effects)).toEqual(expect.arrayContaining(['take_in', 'release']));
  });

  test('while a tool is at work that may be interrupted ends it (voice 11)', () => {
    const it = inTurn();
    it.after({ kind: 'tool_began', interruptible: true });
    expect(kinds(it.after(heard('forget about it', speaking)))).toContain('stop_speaking');
  });

  test('to a host that dies meanwhile is asked by its successor, which hears the end of it, to say it again', () => {
    const end = (text: string): Fact => ({ ...heard(text), isEnd: true }) as Fact;
    for (const text of ['not on Sunday', '']) {
      const effects = conversation().after(end(text));
      expect(effects).toContainEqual({ kind: 'say', line: 1, words: 'sayAgain', key: `notice said ${text}` });
      expect(kinds(effects)).not.toContain('take_in');
    }
  });

  test('comes after what they cut in the transcript', () => {
    const it = inTurn();
    const cut = it.after(heard('something else please', speaking));
    expect(kinds(cut)).not.toContain('take_in');
    const [turn] = [...it.state().open];
    if (turn === undefined) throw new Error('nothing is open');
    it.after({ kind: 'thought', turn, failed: false, interrupted: true, tokens: 5 });
    const told = it.after({ kind: 'told', output: turn, cut: true, hasWords: true, whole: true });
    expect(kinds(told)).toEqual(['close_turn']);
    expect(kinds(it.after({ kind: 'turn_closed', turn }))).toContain('take_in');
  });
});

test('the button stops an answer that is read as well; a text that is written meanwhile comes after what was said of it', () => {
  const it = conversation({ isSpoken: false });
  it.after(waits('tell me everything'));
  const [turn = 0] = [...it.state().open];
  expect(kinds(it.after({ kind: 'interrupt_pressed' }))).toEqual(['stop_speaking', 'time_cut']);
  const text: Fact = {
    kind: 'text_heard',
    text: { key: 't', text: 'rather not', at, mode: 'TEXT' },
    playout: undefined,
  };
  expect(kinds(it.after(text))).not.toContain('take_in');
  it.after({ kind: 'thought', turn, failed: false, interrupted: true, tokens: 5 });
  const told = it.after({ kind: 'told', output: turn, cut: true, hasWords: true, whole: true });
  expect(told).toMatchObject([{ kind: 'close_turn', closing: { closesTurn: true, interrupted: true } }]);
  expect(kinds(it.after({ kind: 'turn_closed', turn }))).toContain('take_in');
});

describe('the silence before an answer', () => {
  const ended = (text: string, playout?: Playout): Fact => ({
    kind: 'speech_ended',
    utterance: `said ${text}`,
    silentForMs: 400,
    playout,
  });
  const due = (text: string): Fact => ({ kind: 'filler_due', utterance: `said ${text}` });
  const said = (text: string): Fact => ({
    kind: 'text_waits',
    text: { key: `said ${text}`, text, sequence: Promise.resolve(1), begun: false },
  });
  const filler = expect.objectContaining({ kind: 'say', words: 'filler' });
  const toldOf = (output: number): Fact => ({ kind: 'told', output, cut: false, hasWords: true, whole: true });
  const answered = (turn: number): Fact[] => [
    { kind: 'thought', turn, failed: false, interrupted: false, tokens: 5 },
    toldOf(turn),
    { kind: 'turn_closed', turn },
  ];

  test('counts from the last sound, before the words are known, and again from the beginning of the turn', () => {
    const it = conversation();
    expect(it.after(ended('a table'))).toEqual([
      { kind: 'time_filler', utterance: 'said a table', since: { ended: 400 } },
    ]);
    const begun = { kind: 'time_filler', utterance: 'said a table', since: 'begun' };
    expect(it.after(heard('a table'), said('a table'))).toContainEqual(begun);
  });

  test('is filled while recognition hangs, although the agent held its breath for the person', () => {
    const it = conversation();
    it.after(sustained(), ended('a table'));
    expect(kinds(it.after(due('a table')))).toEqual(['release', 'say']);
    expect(it.after(due('a table'))).toEqual([]);
  });

  test('is filled once: the turn is told that it was, and words that come late neither cut the filler nor count as listening', () => {
    const it = conversation();
    it.after(ended('okay'), due('okay'));
    const late = it.after(heard('okay', { ...speaking, sentence: 'One ', ahead: 'moment please.' }));
    expect(kinds(late)).toContain('take_in');
    expect(kinds(late)).not.toContain('stop_speaking');
    expect(it.after(said('okay'))).toContainEqual(expect.objectContaining({ kind: 'think', isFilled: true }));
    expect(it.after(due('okay'))).toEqual([]);
  });

  test('is filled within the turn while the model thinks', () => {
    const it = conversation();
    it.after(ended('a table'), heard('a table'), said('a table'));
    const [turn = 0] = [...it.state().open];
    expect(it.after(due('a table'))).toEqual([{ kind: 'fill', turn }]);
  });

  test('is filled before the words that are there when nobody hears them, while the model goes on and when it is done', () => {
    const unheard: Fact = { kind: 'sound_overdue', utterance: 'said a table' };
    const it = conversation();
    it.after(ended('a table'), heard('a table'), said('a table'));
    const [turn = 0] = [...it.state().open];
    expect(it.after(unheard)).toEqual([{ kind: 'fill_unheard', turn }]);
    it.after({ kind: 'thought', turn, failed: false, interrupted: false, tokens: 5 });
    expect(it.after(unheard)).toEqual([{ kind: 'fill_unheard', turn }]);
    expect(it.after({ kind: 'sound_overdue', utterance: 'said before' })).toEqual([]);
    it.after({ kind: 'told', output: turn, cut: false, hasWords: true, whole: true }, { kind: 'turn_closed', turn });
    expect(it.after(unheard)).toEqual([]);
  });

  test('is over when the agent has answered, or the person speaks again', () => {
    const answered = conversation();
    answered.after(ended('a table'), heard('a table'), said('a table'));
    const [turn = 0] = [...answered.state().open];
    answered.after(
      { kind: 'thought', turn, failed: false, interrupted: false, tokens: 5 },
      { kind: 'told', output: turn, cut: false, hasWords: true, whole: true },
      { kind: 'turn_closed', turn },
    );
    expect(answered.after(due('a table'))).toEqual([]);
    const again = conversation();
    again.after(ended('a table'), sustained());
    expect(again.after(due('a table'))).toEqual([]);
  });

  test('after a sound without words is not filled, and whoever waited before it waits on', () => {
    const it = conversation();
    it.after(sustained(), ended('', undefined), heard(''));
    expect(it.after(due(''))).toEqual([]);
    it.after(said('a table'), sustained(), ended(''));
    const again = { kind: 'time_filler', utterance: 'said a table', since: 'begun' };
    expect(it.after(heard(''))).toContainEqual(again);
    expect(kinds(it.after(due('a table')))).toEqual(['fill']);
  });

  test('is filled in writing by a line of its own beside the answer, once, and each turn anew', () => {
    const it = conversation({ isSpoken: false });
    const begun = { kind: 'time_filler', utterance: 'said a table', since: 'begun' };
    expect(it.after(said('a table'))).toContainEqual(begun);
    const [turn = 0] = [...it.state().open];
    expect(it.after(due('a table'))).toEqual([{ kind: 'say', line: turn + 1, words: 'filler', key: 'filler 1.2' }]);
    expect(it.after(due('a table'))).toEqual([]);
    expect(it.after(toldOf(turn + 1))).toEqual([]);
    it.after(said('for two'));
    expect(it.after(due('for two'))).toEqual([]);
    it.after(...answered(turn));
    expect(it.after(due('a table'))).toEqual([]);
    expect(it.after(due('for two'))).toEqual([filler]);
  });

  test('is none while something is said, and while the conversation is given away', () => {
    const it = inTurn();
    expect(it.after(ended('yes', speaking))).toEqual([]);
    const written = conversation({ isSpoken: false });
    written.after(said('a table'), { kind: 'hand_over' });
    expect(written.after(due('a table'))).toEqual([]);
    const given = conversation();
    given.after(ended('a table'), { kind: 'hand_over' });
    expect(given.after(due('a table'))).not.toContainEqual(filler);
  });
});

describe('a goodbye (voice 9)', () => {
  const goodbye = () => {
    const it = inTurn();
    it.after({ kind: 'end_wanted', reason: 'agent_ended' });
    return it;
  };
  const finished = (it: ReturnType<typeof goodbye>) => {
    const [turn = 0] = [...it.state().open];
    return it.after(
      { kind: 'thought', turn, failed: false, interrupted: false, tokens: 5 },
      { kind: 'told', output: turn, cut: false, hasWords: true, whole: true },
      { kind: 'turn_closed', turn },
    );
  };

  test('ends the session when its last words have travelled', () => {
    const it = goodbye();
    expect(kinds(finished(it))).toContain('linger');
    expect(it.after({ kind: 'lingered' })).toContainEqual({ kind: 'leave', how: { end: 'agent_ended' } });
  });

  test('is taken back by who speaks over it', () => {
    const it = goodbye();
    it.after(known('wait one more thing', speaking));
    expect(kinds(finished(it))).not.toContain('linger');
    expect(it.state().phase).toBe('open');
  });

  test('is taken back by what was written before it was over', () => {
    const it = goodbye();
    finished(it);
    const effects = it.after(waits('one more thing'));
    expect(kinds(effects)).toContain('think');
    expect(kinds(it.after({ kind: 'lingered' }))).not.toContain('leave');
  });

  test('that a former host had begun comes after the turn that was interrupted', () => {
    const it = conversation();
    const begun = { text: 'bye', sequence: Promise.resolve(1), begun: true };
    it.after({ kind: 'texts_found', texts: [begun] }, { kind: 'end_wanted', reason: 'agent_ended' });
    expect(kinds(it.after({ kind: 'person_came', placeLapsed: false }))).toContain('think');
    expect(kinds(finished(it))).toContain('linger');
  });

  test('of a limit that is reached is not taken back', () => {
    const it = conversation({ used: { turns: 100, tokens: 0 } });
    const [line = 0] = it.after(waits('go on')).flatMap((effect) => (effect.kind === 'say' ? [effect.line] : []));
    it.after({ kind: 'told', output: line, cut: false, hasWords: true, whole: true }, waits('please'));
    expect(it.after({ kind: 'lingered' })).toContainEqual({ kind: 'leave', how: { end: 'budget_exhausted' } });
  });
});

test('whoever was sent out for a flood and goes on with it has no session to come back to', () => {
  const it = inTurn();
  expect(it.after({ kind: 'flooded' })).toContainEqual({ kind: 'leave', how: { end: 'budget_exhausted' } });
  expect(it.state().phase).toBe('over');
});

describe('a connection that is over', () => {
  test('is made again while the conversation is open: whoever was sent out asks whose it is first (core 11)', () => {
    expect(kinds(conversation().after({ kind: 'room_gone' }))).toEqual(['doubt_arrival', 'hold', 'retake_room']);
  });

  test('and cannot be made again from here gives the session to whoever can (core 10)', () => {
    const effects = conversation().after({ kind: 'room_gone' }, { kind: 'room_unreachable' });
    expect(effects).toContainEqual({ kind: 'leave', how: 'given_back' });
  });

  test('is left to the successor once the conversation is given away: joining would send it out of the room', () => {
    const it = conversation();
    expect(kinds(it.after({ kind: 'hand_over' }, { kind: 'room_gone' }))).not.toContain('retake_room');
  });

  test('leaves the turn to the successor that was cut for it', () => {
    const it = inTurn();
    const [turn = 0] = [...it.state().open];
    it.after({ kind: 'hand_over' }, { kind: 'patience_over' });
    it.after({ kind: 'thought', turn, failed: false, interrupted: true, tokens: 5 });
    const effects = it.after({ kind: 'told', output: turn, cut: false, hasWords: true, whole: false });
    expect(effects).toContainEqual({
      kind: 'close_turn',
      turn,
      closing: { closesTurn: false, unsaid: true, interrupted: true, tokens: 5 },
    });
  });
});

describe('what is left to whoever has the session next', () => {
  test('is a turn under way when the room cannot be reached any more: it is not taken for answered', () => {
    const it = inTurn();
    const [turn = 0] = [...it.state().open];
    it.after({ kind: 'room_gone' }, { kind: 'room_unreachable' });
    it.after({ kind: 'thought', turn, failed: false, interrupted: true, tokens: 5 });
    expect(it.after({ kind: 'told', output: turn, cut: false, hasWords: false, whole: false })).toContainEqual({
      kind: 'close_turn',
      turn,
      closing: { closesTurn: false, unsaid: true, interrupted: true, tokens: 5 },
    });
  });

  test('is a goodbye of a former host, after the turn that it belongs to, also where nobody was greeted', () => {
    const it = conversation({ isGreeted: false });
    const [greeting = 0] = [...it.state().open];
    const begun = { text: 'bye', sequence: Promise.resolve(1), begun: true };
    it.after({ kind: 'texts_found', texts: [begun] }, { kind: 'end_wanted', reason: 'agent_ended' });
    const told: Fact = { kind: 'told', output: greeting, cut: false, hasWords: false, whole: true };
    expect(kinds(it.after(told))).toContain('think');
    expect(it.state().ending).toEqual({ reason: 'agent_ended', farewell: false });
  });
});

test('the last line of a cap is not cut by the clock that cuts the turn before it', () => {
  const it = inTurn();
  const [turn = 0] = [...it.state().open];
  it.after({ kind: 'cap_reached' }, { kind: 'thought', turn, failed: false, interrupted: false, tokens: 5 });
  const told: Fact = { kind: 'told', output: turn, cut: false, hasWords: true, whole: true };
  expect(kinds(it.after(told, { kind: 'turn_closed', turn }))).toContain('say');
  expect(it.after({ kind: 'farewell_overdue' })).toEqual([]);
});

describe('written and spoken', () => {
  test('a written conversation becomes spoken with a microphone, once this is granted, and shows it', () => {
    const it = conversation({ isSpoken: false });
    expect(kinds(it.after({ kind: 'microphone_there', microphone }))).toEqual(['ask_spoken']);
    expect(it.after({ kind: 'spoken_decided', granted: true })).toEqual([
      { kind: 'show_mode', mode: 'voice' },
      { kind: 'listen', microphone },
    ]);
  });

  test('one that cannot be spoken says so, and goes on in writing', () => {
    const it = conversation({ isSpoken: false });
    it.after({ kind: 'microphone_there', microphone });
    expect(it.after({ kind: 'spoken_decided', granted: false })).toEqual([{ kind: 'show_mode', mode: 'unavailable' }]);
    expect(kinds(it.after(waits('hello')))).toContain('think');
  });

  test('whoever was told so and is content with writing is shown that, and is told again when they ask again', () => {
    const it = conversation({ isSpoken: false });
    it.after({ kind: 'microphone_there', microphone }, { kind: 'spoken_decided', granted: false });
    it.after({ kind: 'microphone_gone', microphone });
    expect(it.after({ kind: 'mode_wanted', mode: 'TEXT' })).toEqual([{ kind: 'show_mode', mode: 'text' }]);
    it.after({ kind: 'microphone_there', microphone: 'TR_2' });
    expect(kinds(it.after({ kind: 'mode_wanted', mode: 'VOICE' }))).toEqual(['ask_spoken']);
    expect(it.after({ kind: 'spoken_decided', granted: false })).toEqual([{ kind: 'show_mode', mode: 'unavailable' }]);
  });

  test('a spoken one goes back to writing: the rest is shown, nobody is heard, and a microphone changes nothing', () => {
    const it = inTurn();
    it.after({ kind: 'microphone_there', microphone }, sustained(speaking));
    expect(kinds(it.after({ kind: 'mode_wanted', mode: 'TEXT' }))).toEqual([
      'stop_listening',
      'read_the_rest',
      'release',
      'show_mode',
    ]);
    expect(it.after({ kind: 'microphone_there', microphone: 'TR_2' })).toEqual([]);
  });

  test('and to speech again without asking anybody', () => {
    const it = conversation();
    it.after({ kind: 'microphone_there', microphone }, { kind: 'mode_wanted', mode: 'TEXT' });
    expect(it.after({ kind: 'mode_wanted', mode: 'VOICE' })).toEqual([
      { kind: 'show_mode', mode: 'voice' },
      { kind: 'listen', microphone },
    ]);
  });
});
