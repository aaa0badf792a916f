import { ofTab, storedText } from '../client/stored.ts';

/** The agent chosen last in this tab. */
export const chosenAgent = storedText(ofTab, 'parley.try.agent');
