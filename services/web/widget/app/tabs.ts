/** Of a person's tabs one speaks: the last in which they took the microphone. */
export function watchTabs(agentKey: string, onSpokenElsewhere: () => void): { speaks(): void } {
  if (typeof BroadcastChannel !== 'function') return { speaks: () => undefined };
  const channel = new BroadcastChannel(`parley.speaks.${agentKey}`);
  channel.onmessage = onSpokenElsewhere;
  return { speaks: () => channel.postMessage('speaks') };
}
