import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompiledScript, ScriptRule } from '../../../agent-files/definition/compiled.ts';
import type { ConversationItem, Step, ToolShape } from './conversation.ts';
import { nextStep, scriptedOutcome } from './engine.ts';

const rule = (given: Partial<ScriptRule>): ScriptRule => ({
  when: [],
  needs: [],
  say: { en: 'Said.' },
  failed: { en: 'It did not work.' },
  end: false,
  ...given,
});

const booking = rule({
  name: 'booking',
  when: ['\\bbook\\b', 'table for (?<people>\\w+)'],
  needs: [
    { name: 'people', pattern: ['(\\d+|two|vier)'], ask: { en: 'For how many?', de: 'Für wie viele?' } },
    {
      name: 'time',
      pattern: ['at (?<time>\\d{1,2} ?[ap]m)', '^(\\d{1,2} ?[ap]m)$'],
      ask: { en: 'At what time?', de: 'Um wie viel Uhr?' },
    },
    {
      name: 'name',
      pattern: ['(?:my name is|under) (?<name>\\p{L}+)', '^(?!never)(.+)$'],
      ask: { en: 'Your name?', de: 'Ihr Name?' },
    },
  ],
  call: { tool: 'book_table', arguments: { people: '{{people}}', at: '{{time}}', note: 'for {{name}}' } },
  say: { en: 'Booked, {{name}}: {{result.reference}} at {{result.table.name}}.', de: 'Gebucht: {{result.reference}}.' },
  failed: { en: 'No table at {{time}}.' },
  outcome: 'resolved',
});

const script: CompiledScript = {
  rules: [
    rule({ name: 'cancel', when: ['never ?mind'], say: { en: 'All right.' } }),
    rule({ when: ['\\b(\\d{1,2} ?[ap]m)'], after: 'booking', say: { en: 'So {{time}}, another time.' } }),
    booking,
    rule({ name: 'hours', when: ['\\bopen\\b'], say: { en: 'From noon.', '*': 'Ab zwölf.' } }),
    rule({ when: ['\\bhallo\\b'], language: 'de', say: { de: 'Guten Tag!' } }),
    rule({
      when: ['\\b(bye|tschüss)\\b'],
      say: { en: 'Goodbye{{name}}.', de: 'Auf Wiedersehen.' },
      end: true,
      outcome: 'unresolved',
    }),
    rule({
      when: ['speak to the manager'],
      call: { tool: 'transfer', arguments: {} },
      say: { en: 'Moment.' },
      end: true,
    }),
  ],
  fallback: { en: 'Pardon?', de: 'Wie bitte?' },
};

const tools: ToolShape[] = [
  {
    name: 'book_table',
    parameters: { type: 'object', properties: { people: { type: 'integer' }, at: { type: 'string' } } },
  },
];

const user = (text: string): ConversationItem => ({ role: 'user', text });

/** Plays the person's lines one by one, each answer put into the conversation; tools answer `result`. */
function play(lines: string[], { language = 'en', result = { ok: true, output: {} as unknown } } = {}) {
  const conversation: ConversationItem[] = [{ role: 'assistant', text: 'Welcome!' }];
  const steps: Step[] = [];
  const take = (step: Step) => {
    steps.push(step);
    if ('say' in step) conversation.push({ role: 'assistant', text: step.say });
    else {
      conversation.push({ call: step.call }, { result });
      take(nextStep(script, conversation, language, tools));
    }
  };
  for (const line of lines) {
    conversation.push(user(line));
    take(nextStep(script, conversation, language, tools));
  }
  return { steps, last: steps.at(-1), conversation };
}

describe('which rule answers', () => {
  test('the first whose pattern matches, whatever the case', () => {
    expect(play(['When are you OPEN?']).last).toEqual({ say: 'From noon.' });
  });

  test('nothing that matches is answered with the fallback in the language spoken', () => {
    expect(play(['qwertz'], { language: 'de' }).last).toEqual({ say: 'Wie bitte?' });
  });

  test('a rule of one language is silent in another, and holds in its regional forms', () => {
    expect(play(['hallo']).last).toEqual({ say: 'Pardon?' });
    expect(play(['hallo'], { language: 'de' }).last).toEqual({ say: 'Guten Tag!' });
    expect(play(['hallo'], { language: 'de-AT' }).last).toEqual({ say: 'Guten Tag!' });
  });

  test('a text without the language asked for falls back to the one for any language', () => {
    expect(play(['open?'], { language: 'fr' }).last).toEqual({ say: 'Ab zwölf.' });
  });

  test('a rule that follows another holds only right after it', () => {
    const done = ['book a table for 4 at 7pm under Mara'];
    expect(play(['8pm']).last).toEqual({ say: 'Pardon?' });
    expect(play([...done, '8pm']).last).toEqual({ say: 'So 7pm, another time.' });
    expect(play([...done, 'open?', '8pm']).last).toEqual({ say: 'Pardon?' });
  });

  test('several lines without an answer in between are heard in order, and the last is answered', () => {
    const conversation = [user('book'), user('4'), user('7pm')];
    expect(nextStep(script, conversation, 'en', tools)).toEqual({ say: 'Your name?' });
  });
});

describe('slots', () => {
  test('are asked for one after another, then the tool is called with the types it wants', () => {
    const { steps } = play(['I want to book', '4', '7pm', 'Mara'], {
      result: { ok: true, output: { reference: 'R7', table: { name: 'Window' } } },
    });
    expect(steps).toEqual([
      { say: 'For how many?' },
      { say: 'At what time?' },
      { say: 'Your name?' },
      { call: { tool: 'book_table', arguments: { people: 4, at: '7pm', note: 'for Mara' } } },
      { say: 'Booked, Mara: R7 at Window.' },
    ]);
  });

  test('that the first sentence already tells are not asked for', () => {
    expect(play(['a table for two at 7pm, my name is Mara']).steps[0]).toEqual({
      call: { tool: 'book_table', arguments: { people: 2, at: '7pm', note: 'for Mara' } },
    });
  });

  test('are not taken from the first sentence by a pattern without the name of the slot', () => {
    expect(play(['book it for us 5']).last).toEqual({ say: 'For how many?' });
  });

  test('are not taken from the first sentence by a pattern that takes any words', () => {
    const greedy = rule({
      when: ['\\bjoin\\b'],
      needs: [{ name: 'name', pattern: ['^(?<name>[\\p{L} ]+)$'], ask: { en: 'Your name?' } }],
      say: { en: 'Hello {{name}}.' },
    });
    const joining = { rules: [greedy], fallback: {} };
    const opening = [user('I want to join')];
    expect(nextStep(joining, opening, 'en')).toEqual({ say: 'Your name?' });
    expect(nextStep(joining, [...opening, user('Mara')], 'en')).toEqual({ say: 'Hello Mara.' });
  });

  test('one answer may tell several', () => {
    expect(play(['book', '4 at 7pm']).last).toEqual({ say: 'Your name?' });
  });

  test('are asked for again when the text is no answer and nothing else matches', () => {
    expect(play(['book', 'what?']).last).toEqual({ say: 'For how many?' });
  });

  test('another rule takes over when the text is no answer, and what was said before is kept', () => {
    const { steps } = play(['book', '4', 'when do you open?', 'book please']);
    expect(steps.slice(2)).toEqual([{ say: 'From noon.' }, { say: 'At what time?' }]);
  });

  test('an answer goes to the open question even if another rule would match it', () => {
    expect(play(['book', '4', '7pm', 'Open']).steps[3]).toMatchObject({ call: { arguments: { note: 'for Open' } } });
  });

  test('cancelling is a rule like any other', () => {
    const { steps } = play(['book', '4', '7pm', 'never mind', '7pm']);
    expect(steps.slice(3)).toEqual([{ say: 'All right.' }, { say: 'Pardon?' }]);
  });

  test('are asked for again when something is done a second time', () => {
    expect(play(['table for 4 at 7pm under Mara', 'book another one']).last).toEqual({ say: 'For how many?' });
  });

  test('questions come in the language spoken', () => {
    expect(play(['book'], { language: 'de' }).last).toEqual({ say: 'Für wie viele?' });
  });
});

describe('tools', () => {
  const full = ['table for 4 at 7pm under Mara'];

  test('a failure is said in the words of the rule that called', () => {
    expect(play(full, { result: { ok: false, output: 'HTTP 503' } }).last).toEqual({ say: 'No table at 7pm.' });
  });

  test('a result may be JSON in a text, as the framework stores it', () => {
    const output = JSON.stringify(JSON.stringify({ reference: 'R8', table: { name: 'Bar' } }));
    expect(play(full, { result: { ok: true, output } }).last).toEqual({ say: 'Booked, Mara: R8 at Bar.' });
  });

  test('a call without a result counts as failed', () => {
    const conversation = [user(full[0] ?? ''), { call: { tool: 'book_table', arguments: {} } }];
    expect(nextStep(script, conversation, 'en', tools)).toEqual({ say: 'No table at 7pm.' });
  });

  test('the result of a call by another model is told by a rule that uses the tool', () => {
    const conversation: ConversationItem[] = [
      user('I need a place tonight'),
      { call: { tool: 'book_table', arguments: {} } },
      { result: { ok: true, output: { reference: 'R9', table: { name: 'Bar' } } } },
    ];
    expect(nextStep(script, conversation, 'de', tools)).toEqual({ say: 'Gebucht: R9.' });
  });

  test('the result of a tool that no rule knows is answered with the fallback', () => {
    const conversation: ConversationItem[] = [
      user('hm'),
      { call: { tool: 'x', arguments: {} } },
      { result: { ok: true, output: 1 } },
    ];
    expect(nextStep(script, conversation, 'en', tools)).toEqual({ say: 'Pardon?' });
  });

  test('a value that does not read as a number is handed on for the validation to refuse', () => {
    expect(play(['table for twelveish at 7pm under Mara']).steps[0]).toMatchObject({
      call: { arguments: { people: 'twelveish' } },
    });
  });
});

describe('the end', () => {
  test('comes with the last words, and nothing is said after the call that ends', () => {
    const { last, conversation } = play(['bye']);
    expect(last).toEqual({ say: 'Goodbye.', end: true });
    const after: ConversationItem[] = [
      ...conversation,
      { call: { tool: 'end_call', arguments: {} } },
      { result: { ok: true, output: '' } },
    ];
    expect(nextStep(script, after, 'en', tools)).toEqual({ say: '' });
  });

  test('of a rule with a tool comes after the tool worked, and not when it failed', () => {
    expect(play(['let me speak to the manager']).last).toEqual({ say: 'Moment.', end: true });
    expect(play(['let me speak to the manager'], { result: { ok: false, output: '' } }).last).toEqual({
      say: 'It did not work.',
    });
  });

  test('the outcome is that of the last rule carried out', () => {
    const booked = play(['table for 4 at 7pm under Mara']).conversation;
    const failed = play(['table for 4 at 7pm under Mara'], { result: { ok: false, output: '' } }).conversation;
    expect(scriptedOutcome(script, booked, 'en')).toBe('resolved');
    expect(scriptedOutcome(script, failed, 'en')).toBeUndefined();
    expect(scriptedOutcome(script, play(['bye']).conversation, 'en')).toBe('unresolved');
  });
});

describe('whatever is said', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(
      'book',
      '4',
      '7pm',
      'Mara',
      'never mind',
      'bye',
      'open',
      'speak to the manager',
      '{{result.x}}',
      '$&',
      '',
    ),
  );
  const item: fc.Arbitrary<ConversationItem> = fc.oneof(
    fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), text }),
    fc.record({
      call: fc.record({ tool: fc.constantFrom('book_table', 'transfer', 'end_call', 'x'), arguments: fc.jsonValue() }),
    }),
    fc.record({ result: fc.record({ ok: fc.boolean(), output: fc.jsonValue() }) }),
  );

  const answers = (step: Step, conversation: ConversationItem[]) => {
    if ('call' in step) return step.call.tool !== '';
    const ending = conversation.findLast((entry) => 'call' in entry);
    return step.say !== '' || ending?.call.tool === 'end_call';
  };

  test('it never throws, always answers, and answers alike when asked again', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 25 }),
        fc.constantFrom('en', 'de', 'fr', ''),
        (conversation, language) => {
          const step = nextStep(script, conversation, language, tools);
          expect(answers(step, conversation)).toBe(true);
          expect(nextStep(script, structuredClone(conversation), language, tools)).toEqual(step);
        },
      ),
    );
  });

  const phrase = fc.dictionary(fc.constantFrom('en', 'de', '*'), fc.string({ maxLength: 30 }));
  const anyRule: fc.Arbitrary<ScriptRule> = fc.record(
    {
      when: fc.array(fc.string({ maxLength: 12 }), { maxLength: 3 }),
      needs: fc.array(
        fc.record({
          name: fc.constantFrom('a', 'b'),
          pattern: fc.array(fc.string({ maxLength: 8 }), { maxLength: 2 }),
          ask: phrase,
        }),
        { maxLength: 2 },
      ),
      say: phrase,
      failed: phrase,
      end: fc.boolean(),
      name: fc.constantFrom('one', 'two'),
      after: fc.constantFrom('one', 'two'),
      call: fc.record({ tool: fc.constantFrom('t', 'u'), arguments: fc.dictionary(fc.string(), fc.jsonValue()) }),
    },
    { requiredKeys: ['when', 'needs', 'say', 'failed', 'end'] },
  );

  test('any script, even one the loader would refuse, is run without throwing', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        phrase,
        fc.array(item, { maxLength: 12 }),
        (rules, fallback, conversation) => {
          expect(answers(nextStep({ rules, fallback }, conversation, 'en'), conversation)).toBe(true);
        },
      ),
    );
  });

  test('a conversation of very long texts is read only so far', () => {
    const far = `${'x '.repeat(5_000)} open`;
    expect(nextStep(script, [user(far)], 'en')).toEqual({ say: 'Pardon?' });
  });
});
