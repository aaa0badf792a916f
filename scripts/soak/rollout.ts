/**
 * `npm run soak -- rollout`: everything is replaced, one by one, beneath 50 conversations and 100 requests a second (`npm test` takes 20 and 50,
 * which slower cores carry, too). Fails when the test does.
 */
import { tellStories } from './stories.ts';

export const soakRollout = (): Promise<void> => tellStories('SOAK_ROLLOUT', ['test/flows/hosts/rollout.test.ts']);
