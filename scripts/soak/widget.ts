/**
 * `npm run soak -- widget`: the widget on pages as they are out there, and spoken with (`npm test` takes one page). Fails when a test does.
 */
import { tellStories } from './stories.ts';

export const soakWidget = (): Promise<void> => tellStories('SOAK_WIDGET', ['test/browser/widget']);
