import { setting } from '../setting.ts';

function aShareOfOne(text: string): number | undefined {
  const number = Number(text);
  return number > 0 && number <= 1 ? number : undefined;
}

export const deliveries = {
  retryScale: setting({
    name: 'PARLEY_RETRY_SCALE',
    readBy: { worker: 1 },
    holds: 'a number above 0, at most 1',
    parse: aShareOfOne,
    notInStacks: 'it is for tests that are in a hurry',
    says: 'What the waits between attempts of a delivery are multiplied by: 1, unless a test is in a hurry.',
  }),
};
