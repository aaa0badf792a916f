import { expect, test } from 'vitest';
import type { Transfer, TransferTold } from '../../../core/telephony/transfer.ts';
import type { Loaded } from '../loading.ts';
import { transferCaller } from './transferring.ts';

function caller({ told = 'over' as TransferTold, isOnTelephone = true, leaves = false } = {}) {
  const said: string[] = [];
  const asked: Transfer[] = [];
  return {
    said,
    asked,
    parts: {
      loaded: {
        definition: { transfers: { desk: { number: '+4930123456', say: { en: 'One moment.' } } } },
        session: { language: 'en', participant_identity: 'caller' },
      } as unknown as Loaded,
      room: () => ({ name: 'a room', isOnTelephone: () => isOnTelephone, leavesWithin: async () => leaves }),
      transfers: {
        ask: async (transfer: Transfer) => {
          asked.push(transfer);
          return told;
        },
      },
      announce: (line: string) => void said.push(line),
      ahead: () => '',
    },
  };
}

test('a caller is told first, and put through to the number of the destination', async () => {
  const { parts, said, asked } = caller();
  expect(await transferCaller(parts, 'desk')).toBe('answered');
  expect(said).toEqual(['One moment.']);
  expect(asked).toEqual([{ room: 'a room', identity: 'caller', to: '+4930123456' }]);
});

test('a caller who hung up while it rang was not put through, though the bridge says the same of both', async () => {
  const { parts } = caller({ leaves: true });
  expect(await transferCaller(parts, 'desk')).toBe('unknown');
});

test('nobody is asked for a destination that is not there, or for somebody who is not on the telephone', async () => {
  const known = caller();
  expect(await transferCaller(known.parts, 'constructor')).toBe('not_here');
  const writing = caller({ isOnTelephone: false });
  expect(await transferCaller(writing.parts, 'desk')).toBe('not_here');
  expect([...known.asked, ...writing.asked, ...known.said, ...writing.said]).toEqual([]);
});

test('why nobody answered is told as it is', async () => {
  expect(await transferCaller(caller({ told: 'busy' }).parts, 'desk')).toBe('busy');
});
