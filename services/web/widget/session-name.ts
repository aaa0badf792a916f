/** Under which the window remembers a conversation in its tab, and the loader sees that there is one. */
export const sessionName = (agentKey: string): string => `parley.session.${agentKey}`;
