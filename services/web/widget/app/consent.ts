const nameOf = (agentKey: string) => `parley.consent.${agentKey}`;

/** Whether this browser's person has accepted this very text. */
export function hasAccepted(agentKey: string, text: string): boolean {
  try {
    return localStorage.getItem(nameOf(agentKey)) === text;
  } catch {
    return false;
  }
}

/** Storage may be forbidden: then the next page asks again. */
export function accept(agentKey: string, text: string): void {
  try {
    localStorage.setItem(nameOf(agentKey), text);
  } catch {
    return;
  }
}
