import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { knowledgeOf } from './knowledge.ts';

const facts = { languages: ['en'], languageConfigs: [], defaultLanguage: 'en', widget: {} };
let stored: Map<string, string>;
let warned: string[];
let asked: number;
let answers: () => Response | Promise<Response>;

beforeEach(() => {
  stored = new Map();
  warned = [];
  asked = 0;
  answers = () => Response.json(facts);
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
  });
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    return answers();
  });
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const open = () =>
  knowledgeOf({ origin: 'https://h', agentKey: 'pk_x', client: 'widget/1', warn: (text) => warned.push(text) });
const minutes = (count: number) => vi.setSystemTime(Date.now() + count * 60_000);

test('a browser asks once in ten minutes, however many pages it opens', async () => {
  for (let page = 0; page < 5; page += 1) await open().freshen();
  expect(asked).toBe(1);
  minutes(10);
  await open().freshen();
  expect(asked).toBe(2);
});

test('whoever asks at once waits for one answer', async () => {
  const knowledge = open();
  await Promise.all([knowledge.freshen(), knowledge.needed(), knowledge.needed()]);
  expect(asked).toBe(1);
});

test.for([401, 403])('after %i nothing is shown, and one line says why', async (status) => {
  answers = () => Response.json({ message: 'This key is revoked.' }, { status });
  const knowledge = open();
  await knowledge.freshen();
  expect(knowledge.refused).toBe(true);
  expect(warned).toEqual(['no conversation here: This key is revoked.']);
  expect(open().refused).toBe(true);
});

test.for([429, 503])('after %i the last copy does, and nobody asks again for ten minutes', async (status) => {
  await open().freshen();
  minutes(11);
  answers = () => new Response('', { status });
  const knowledge = open();
  await knowledge.freshen();
  expect(knowledge.facts).toEqual(facts);
  await open().freshen();
  expect(asked).toBe(2);
  expect(warned).toEqual([]);
});

test('an answer that is not the service’s, as of a network that wants a sign-in first, is none', async () => {
  answers = () => new Response('<html>Sign in', { status: 200 });
  await open().freshen();
  await expect(open().needed()).rejects.toThrow('network');
});

test('a key that was refused is not asked about again for ten minutes, however often a page begins', async () => {
  answers = () => Response.json({ message: 'This key is revoked.' }, { status: 401 });
  for (let times = 0; times < 3; times += 1) await expect(open().needed()).rejects.toThrow('agent_disabled');
  expect([asked, warned.length]).toEqual([1, 1]);
  minutes(10);
  answers = () => Response.json(facts);
  expect(await open().needed()).toEqual(facts);
});

test('what must be known and cannot be is an error', async () => {
  answers = () => Promise.reject(new Error('offline'));
  await expect(open().needed()).rejects.toThrow('network');
});

test('without storage each page asks', async () => {
  vi.stubGlobal('localStorage', undefined);
  await open().freshen();
  await open().freshen();
  expect(asked).toBe(2);
});

test('a kept copy of another time and shape is no copy', async () => {
  stored.set('parley.widget.pk_x', '{"at":"yesterday"}');
  await open().freshen();
  expect(asked).toBe(1);
});
