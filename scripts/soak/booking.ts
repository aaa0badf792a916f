/**
 * `npm run soak -- booking`: a fresh clone, `npm start`, and a real Chromium that books a table by voice; then once more where there is no way
 * to the internet. Fails when a test does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutInternet } from '../../test/support/network/own-network.ts';
import { flite, installPrograms } from '../toolchain/system.ts';
import { tellStories } from './stories.ts';

const files = ['test/browser/booking.test.ts'];

export async function soakBooking(): Promise<void> {
  await installPrograms([flite], 'The person who books needs', (line) => process.stdout.write(`${line}\n`));
  const folder = await mkdtemp(join(tmpdir(), 'parley-booking-'));
  try {
    await tellStories('SOAK_BOOKING', files, { value: folder });
    await tellStories('SOAK_BOOKING', files, { value: folder, through: withoutInternet });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
