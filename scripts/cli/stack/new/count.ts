import { Fault } from '../../../toolchain/fault.ts';

/** @throws Fault for what is no whole number of conversations */
export function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Fault(`A whole number is needed, not "${text}".`);
  return Number(text);
}
