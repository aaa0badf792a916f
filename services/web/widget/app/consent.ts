import { ofBrowser, storedText } from '../../client/stored.ts';

const accepted = (agentKey: string) => storedText(ofBrowser, `parley.consent.${agentKey}`);

/** Whether this browser's person has accepted this very text. */
export const hasAccepted = (agentKey: string, text: string): boolean => accepted(agentKey).read() === text;

export const accept = (agentKey: string, text: string): void => accepted(agentKey).write(text);
