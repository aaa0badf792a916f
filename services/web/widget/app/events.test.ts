import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WidgetElement } from '../shapes.ts';
import { tellPage } from './events.ts';
import { makeStore } from './store.ts';

beforeEach(() => void vi.stubGlobal('document', { hidden: true }));
afterEach(() => void vi.unstubAllGlobals());

/** A page that hears everything. */
function listening() {
  const host = new EventTarget() as WidgetElement;
  const store = makeStore();
  const told: [string, unknown][] = [];
  for (const name of ['parley:state', 'parley:message', 'parley:error', 'parley:ended'])
    host.addEventListener(name, (event) => told.push([name, (event as CustomEvent<unknown>).detail]));
  tellPage(host, store, ({ notice }) => `words for ${notice?.code ?? 'sound'}`);
  const toldAs = (name: string) => told.filter(([one]) => one === `parley:${name}`).map(([, detail]) => detail);
  return { store, toldAs };
}

test('an error is told by its code, in the person’s words, with the seconds where there are some', () => {
  const { store, toldAs } = listening();
  store.learn({ kind: 'notice', notice: { code: 'rate_limited', isRetried: false, retryAfterSeconds: 40 } });
  store.learn({ kind: 'notice', notice: { code: 'microphone_denied', isRetried: false } });
  store.learn({ kind: 'notice', notice: undefined });
  store.learn({ kind: 'sound', isBlocked: true });
  store.learn({ kind: 'sound', isBlocked: true });
  expect(toldAs('error')).toEqual([
    { code: 'rate_limited', message: 'words for rate_limited', retryAfterSeconds: 40 },
    { code: 'microphone_denied', message: 'words for microphone_denied' },
    { code: 'autoplay_blocked', message: 'words for sound' },
  ]);
});

test('a line is told again under its id as it grows, and is final when it is whole', () => {
  const { store, toldAs } = listening();
  store.learn({ kind: 'said', id: 'p1', text: 'hello' });
  store.learn({ kind: 'delivery', id: 'p1', delivery: 'sent' });
  store.learn({ kind: 'replyBegan', id: 'r1' });
  store.learn({ kind: 'replyGrew', id: 'r1', chunk: 'Good ' });
  store.learn({ kind: 'replyGrew', id: 'r1', chunk: 'day.' });
  store.learn({ kind: 'replyEnded', id: 'r1', whole: true });
  expect(toldAs('message')).toEqual([
    { id: 'p1', from: 'person', text: 'hello', final: false },
    { id: 'p1', from: 'person', text: 'hello', final: true },
    { id: 'r1', from: 'agent', text: 'Good ', final: false },
    { id: 'r1', from: 'agent', text: 'Good day.', final: false },
    { id: 'r1', from: 'agent', text: 'Good day.', final: true },
  ]);
});

test('a state is told when it has changed, and the end with its figures or without', () => {
  const { store, toldAs } = listening();
  store.learn({ kind: 'starting' });
  store.learn({ kind: 'starting' });
  store.learn({ kind: 'created', sessionId: 's_1', agentWithinSeconds: undefined });
  store.learn({ kind: 'connection', connection: 'connected' });
  store.learn({ kind: 'agent', state: 'thinking' });
  store.learn({ kind: 'ended', figures: undefined });
  expect(toldAs('state')).toMatchObject([
    { phase: 'starting', connection: 'connecting', sessionId: null },
    { phase: 'starting', sessionId: 's_1' },
    { phase: 'talking', connection: 'connected', agent: 'absent' },
    { agent: 'thinking', mode: 'text', microphone: 'off' },
    { phase: 'ended', connection: 'none' },
  ]);
  expect(toldAs('ended')).toEqual([{ figures: null }]);
});
