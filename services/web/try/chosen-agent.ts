const key = 'parley.try.agent';

/** The agent chosen last in this tab. Storage may be forbidden; then nothing is remembered and nothing is lost. */
export function rememberAgent(agent: string): void {
  try {
    sessionStorage.setItem(key, agent);
  } catch {
    return;
  }
}

export function rememberedAgent(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
