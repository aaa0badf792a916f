import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact, redactText } from './redact.ts';

test.each([
  ['Write to ada.lovelace+tables@mail.example.com, please', 'Write to person@example.com, please'],
  ['Call +49 (30) 5550-1234 or 0171/2345678.', 'Call +11 (11) 1111-1111 or 1111/1111111.'],
  ['My order is A-1001', 'My order is A-1111'],
  ['4111 1111 1111 4242', '1111 1111 1111 1111'],
  ['four of us on 2026-11-27 at 19:30', 'four of us on 2026-11-27 at 19:30'],
  ['table 12, 3 people', 'table 12, 3 people'],
  ['I am Ada Lovelace', 'I am Ada Lovelace'],
])('%s', (said, masked) => {
  expect(redactText(said)).toBe(masked);
});

test('in a value every text and number is masked, alike everywhere', () => {
  const value = { orderId: 'A-1001', id: 1001, guests: 4, price: 12.5, open: true, notes: ['a@b.example', null] };
  expect(redact(value)).toEqual({
    ...{ orderId: 'A-1111', id: 1111, guests: 4, price: 12.5, open: true },
    notes: ['person@example.com', null],
  });
});

test('no number of four digits or more is left, whatever stands around it', () => {
  const words = fc.string().map((text) => text.replaceAll(/\d/g, ''));
  fc.assert(
    fc.property(words, fc.integer({ min: 2_222, max: 999_999_999 }), words, (before, number, after) => {
      fc.pre(!/^1+$/.test(String(number)));
      expect(redactText(`${before} ${number} ${after}`)).not.toContain(String(number));
    }),
  );
});

test('masking twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const once = redactText(text);
      expect(redactText(once)).toBe(once);
    }),
  );
});
