import type { Entry } from '../../client/transcript.ts';
import type { WidgetElement, WidgetEvents } from '../shapes.ts';
import { activityOf, type State } from './conversation/state.ts';
import type { Store } from './store.ts';

/** Tells the page, through events of the element, what happens. */
export function tellPage(host: WidgetElement, store: Store, messageOf: (state: State) => string): void {
  const tell = <Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]) =>
    host.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  let told = '';

  store.onFact((before, now, fact) => {
    const shown = shownState(now);
    const text = JSON.stringify(shown);
    if (text !== told) tell('parley:state', shown);
    told = text;
    if (now.entries !== before.entries) tellEntries(before.entries, now.entries, tell);
    if (now.notice && now.notice !== before.notice) {
      const { code, retryAfterSeconds } = now.notice;
      const after = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      tell('parley:error', { code, message: messageOf(now), ...after });
    }
    if (now.isSoundBlocked && !before.isSoundBlocked)
      tell('parley:error', { code: 'autoplay_blocked', message: messageOf(now) });
    if (fact.kind === 'ended') tell('parley:ended', { figures: now.figures ?? null });
  });
}

type Tell = <Name extends keyof WidgetEvents>(name: Name, detail: WidgetEvents[Name]) => void;

function tellEntries(before: readonly Entry[], now: readonly Entry[], tell: Tell): void {
  const known = new Map(before.map((entry) => [entry.id, entry]));
  for (const entry of now) {
    if (known.get(entry.id) === entry || entry.text === '') continue;
    const final = entry.from === 'person' ? entry.delivery !== 'waiting' : entry.progress !== 'streaming';
    tell('parley:message', { id: entry.id, from: entry.from, text: entry.text, final });
  }
}

export const shownState = (state: State): WidgetEvents['parley:state'] => ({
  phase: state.phase,
  connection: state.connection,
  agent: activityOf(state) ?? 'absent',
  mode: state.mode,
  microphone: state.microphone,
  sessionId: state.sessionId ?? null,
});
