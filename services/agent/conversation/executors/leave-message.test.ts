import { expect, test } from 'vitest';
import { type LeaveMessageParts, leaveMessage } from './leave-message.ts';

function calling({ machineMessage = {}, isCalling = true } = {}) {
  const said: string[] = [];
  const parts = {
    loaded: {
      ...{ definition: { machineMessage, callVariables: ['guest', 'nothing'] }, session: { language: 'en' } },
      ...{ callVariables: { guest: 'Ada' }, isCalling },
    },
    announce: (line: string) => void said.push(line),
    ahead: () => '',
  } as unknown as LeaveMessageParts;
  return { said, parts };
}

test('the message says what is known of the call', async () => {
  const { said, parts } = calling({ machineMessage: { en: 'Hello {{ guest }}{{nothing}}.' } });
  expect(await leaveMessage(parts)).toBe(true);
  expect(said).toEqual(['Hello Ada.']);
});

test('without a message nothing is said, and nobody who calls us is taken for a machine', async () => {
  const silent = calling();
  expect(await leaveMessage(silent.parts)).toBe(true);
  const called = calling({ machineMessage: { en: 'Hello.' }, isCalling: false });
  expect(await leaveMessage(called.parts)).toBe(false);
  expect([...silent.said, ...called.said]).toEqual([]);
});
