import { expect, test } from 'vitest';
import type { AgentFile } from '../../contract/generated/agent.ts';
import { checkMachineMessage, checkPhone, checkTransfers } from './phone.ts';

const outbound = (fields: object) =>
  checkPhone({
    phone: { outbound: { consent: 'required', hours: [], variables: {}, ...fields } },
  } as unknown as AgentFile);

test('hours that go past midnight are told apart from hours of a day', () => {
  expect(outbound({ hours: [{ days: ['mon'], from: '09:00', to: '24:00' }] })).toEqual([]);
  expect(outbound({ hours: [{ days: ['mon'], from: '22:00', to: '06:00' }] })).toMatchObject([
    { rule: 'calling-hours', path: ['phone', 'outbound', 'hours', '0'] },
  ]);
});

test('a variable of a call may not have the name of one that every prompt has', () => {
  expect(outbound({ variables: { guest: { description: 'Who.' } } })).toEqual([]);
  expect(outbound({ variables: { now: { description: 'Who.' } } })).toMatchObject([{ rule: 'call-variable' }]);
});

test('an agent that says nothing of telephones has nothing to check', () => {
  expect(checkPhone({} as AgentFile)).toEqual([]);
});

const transfers = (say: object | undefined, tools: string[]) =>
  checkTransfers({
    tools,
    languages: [{ code: 'en' }, { code: 'de' }],
    phone: { transfers: { desk: { number: '+4930123456', description: 'The desk.', ...(say && { say }) } } },
  } as unknown as AgentFile);

test('destinations need the tool that puts somebody through, and what is said before is there in every language', () => {
  expect(transfers(undefined, ['transfer'])).toEqual([]);
  expect(transfers({ '*': 'One moment.' }, ['transfer'])).toEqual([]);
  expect(transfers({ en: 'One moment.' }, [])).toMatchObject([
    { rule: 'text-language', path: ['phone', 'transfers', 'desk', 'say'] },
    { rule: 'transfer-tool', path: ['phone', 'transfers'] },
  ]);
});

test('a message for machines is about the call, and needs the tool that leaves it', () => {
  const faults = (message: string, tools: string[]) =>
    checkMachineMessage({
      tools,
      languages: [{ code: 'en' }],
      phone: { outbound: { message, variables: { guest: { description: 'Who.' } } } },
    } as unknown as AgentFile).map(({ message: text }) => text);
  expect(faults('Hello {{ guest }}.', ['answering_machine'])).toEqual([]);
  expect(faults('Hello {{gest}}.', ['answering_machine'])).toEqual([expect.stringContaining('{{guest}}')]);
  expect(faults('Hello.', [])).toEqual([expect.stringContaining('answering_machine')]);
});
