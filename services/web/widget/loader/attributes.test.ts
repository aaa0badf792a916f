import { expect, test } from 'vitest';
import schema from '../../../../schemas/agent.schema.json' with { type: 'json' };
import { attributeName, attributes, readAttributes, settled } from './attributes.ts';

const read = (attributes: Record<string, string>) => readAttributes((name) => attributes[name] ?? null);

test('the attribute wins over the file, and the file over the default', () => {
  const { given } = read({ 'data-color': '#aa0000' });
  expect(settled(given, { color: '#00aa00', theme: 'dark' })).toMatchObject({
    color: '#aa0000',
    theme: 'dark',
    mode: 'both',
    position: 'bottom-right',
    open: false,
  });
});

test('each attribute is read into the setting of its name', () => {
  const { given, faults } = read({
    'data-mode': 'voice',
    'data-language': 'pt-BR',
    'data-voice-id': 'eva',
    'data-position': 'bottom-left',
    'data-theme': 'dark',
    'data-color': '#123456',
    'data-title': 'Ask us',
    'data-subtitle': 'We answer at once',
    'data-greeting': 'Hello!',
    'data-open': '',
    'data-consent': 'I agree.',
    'data-target': '#chat',
  });
  expect(faults).toEqual([]);
  expect(given).toEqual({
    mode: 'voice',
    language: 'pt-BR',
    voiceId: 'eva',
    position: 'bottom-left',
    theme: 'dark',
    color: '#123456',
    title: 'Ask us',
    subtitle: 'We answer at once',
    greeting: { '*': 'Hello!' },
    open: true,
    consent: { '*': 'I agree.' },
    target: '#chat',
  });
});

test('what is not allowed is left out, and the fault says what is', () => {
  const { given, faults } = read({ 'data-mode': 'video', 'data-color': 'red', 'data-open': 'perhaps' });
  expect(given).toEqual({});
  expect(faults).toEqual([
    'data-mode="video" (allowed: text, voice, both)',
    'data-color="red" (allowed: a colour such as #1f5fbf)',
    'data-open="perhaps" (allowed: true, false)',
  ]);
});

test('no attribute reaches the prompt', () => {
  expect(read({ 'data-system-prompt': 'x', 'data-prompt': 'x', 'data-texts': '{}' })).toEqual({
    given: {},
    faults: [],
  });
});

test('a page cannot make an agent hear that does not permit a microphone', () => {
  expect(settled({ mode: 'voice' }, { microphone: false }).mode).toBe('text');
  expect(settled({ mode: 'voice' }, { mode: 'text' }).mode).toBe('voice');
});

test('the name of an attribute is that of its setting', () => {
  expect(attributeName('voiceId')).toBe('data-voice-id');
});

test('attributes are what the file of an agent may say, but for its texts, with the same values and defaults', () => {
  const { texts: _, ...properties } = schema.$defs.Widget.properties as Record<string, Property>;
  expect(Object.keys(attributes).sort()).toEqual(Object.keys(properties).sort());
  const defaults = Object.entries(properties).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value]],
  );
  expect(settled({})).toEqual(Object.fromEntries(defaults));
  for (const [name, { enum: values, maxLength }] of Object.entries(properties)) {
    const attribute = attributeName(name);
    for (const value of values ?? []) expect(read({ [attribute]: value }).given).toEqual({ [name]: value });
    if (maxLength === undefined || name === 'voiceId') continue;
    expect(read({ [attribute]: 'x'.repeat(maxLength) }).faults).toEqual([]);
    expect(read({ [attribute]: 'x'.repeat(maxLength + 1) }).faults).toHaveLength(1);
  }
});

interface Property {
  default?: unknown;
  enum?: string[];
  maxLength?: number;
}
