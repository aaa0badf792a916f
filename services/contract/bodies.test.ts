import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBody } from './bodies.ts';

describe('a body', () => {
  test('with every field is taken as it is', () => {
    const body = { language: 'de', voiceId: 'anna', systemPrompt: 'Be brief.', interactionMode: 'TEXT' };
    expect(checkBody('createSession', body)).toEqual({ ok: true, value: body });
  });

  test('that is not there has no fields', () => {
    expect(checkBody('createSession', undefined)).toEqual({ ok: true, value: {} });
    expect(checkBody('createToken', {})).toEqual({ ok: true, value: {} });
  });

  test('treats null as left out', () => {
    expect(checkBody('createSession', { language: null, voiceId: 'a' })).toEqual({ ok: true, value: { voiceId: 'a' } });
  });

  test.each([[[]], ['text'], [3], [true]])('that is %j is refused as a whole', (body) => {
    expect(checkBody('createSession', body)).toEqual({
      ok: false,
      details: [{ path: '', message: 'The body must be a JSON object.' }],
    });
  });

  test('names an unknown field and the one that was probably meant', () => {
    expect(checkBody('createSession', { interactionmode: 'TEXT' })).toEqual({
      ok: false,
      details: [
        {
          path: 'interactionmode',
          message: 'There is no field "interactionmode". Did you mean "interactionMode"?',
        },
      ],
    });
  });

  test('lists the known fields when none is near', () => {
    expect(checkBody('createToken', { colour: 1 })).toEqual({
      ok: false,
      details: [{ path: 'colour', message: 'There is no field "colour". Known here: language.' }],
    });
  });

  test.each([
    [{ language: '' }, 'language', '"language" must not be empty.'],
    [{ language: 5 }, 'language', '"language" must be text, not 5.'],
    [
      { interactionMode: 'text' },
      'interactionMode',
      '"interactionMode" must be VOICE or TEXT, not "text". Did you mean "TEXT"?',
    ],
    [
      { systemPrompt: 'x'.repeat(32_001) },
      'systemPrompt',
      '"systemPrompt" is too long: 32001 characters, at most 32000 are allowed.',
    ],
  ])('says what would be right (%#)', (body, path, message) => {
    expect(checkBody('createSession', body)).toEqual({ ok: false, details: [{ path, message }] });
  });

  test('reports all faults at once', () => {
    const check = checkBody('createSession', { language: '', voiceId: 7, bogus: true });
    expect(check.ok ? [] : check.details.map((detail) => detail.path).sort()).toEqual(['bogus', 'language', 'voiceId']);
  });

  test('of 10 000 unknown fields gives a short answer', () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, 1]));
    const check = checkBody('createSession', body);
    expect(check.ok ? 0 : check.details.length).toBe(20);
  });

  test('cannot smuggle a prototype', () => {
    const body: unknown = JSON.parse('{"__proto__": {"language": "en"}}');
    expect(checkBody('createSession', body).ok).toBe(false);
  });
});

describe('a transcript line', () => {
  test('needs a role, a content and a session', () => {
    expect(checkBody('transcription', {})).toMatchObject({
      ok: false,
      details: [{ path: 'role' }, { path: 'content' }],
    });
    expect(checkBody('transcription', { role: 'USER', content: 'hi' })).toMatchObject({
      ok: false,
      details: [{ path: 'sessionId' }],
    });
  });

  test('counts null as missing', () => {
    const line = { role: 'USER', content: null, roomName: 'r' };
    expect(checkBody('transcription', line)).toMatchObject({ ok: false, details: [{ path: 'content' }] });
  });

  test('names its session by id or by room', () => {
    expect(checkBody('transcription', { role: 'USER', content: 'hi', roomName: 'r' }).ok).toBe(true);
    expect(checkBody('transcription', { role: 'ASSISTANT', content: 'hi', sessionId: 's' }).ok).toBe(true);
  });
});

test('any JSON gives a value or faults with text, never a crash', () => {
  fc.assert(
    fc.property(fc.constantFrom('createSession', 'createToken', 'transcription'), fc.jsonValue(), (name, body) => {
      const check = checkBody(name, body);
      if (check.ok) return;
      expect(check.details.length).toBeGreaterThan(0);
      for (const { path, message } of check.details) {
        expect(typeof path).toBe('string');
        expect(message).toMatch(/[.?]$/);
      }
    }),
  );
});
