/**
 * `npm run soak -- phone`: baresip, which others have written and which is not on every machine that tests, calls an agent. Fails when a test does.
 */
import { installPrograms, otherPhones } from '../toolchain/system.ts';
import { tellStories } from './stories.ts';

export async function soakPhone(): Promise<void> {
  await installPrograms(otherPhones, 'The calls need', (line) => void process.stdout.write(`${line}\n`));
  await tellStories('SOAK_PHONE', ['test/flows/telephone/other-phones.test.ts']);
}
