import { voice } from '@livekit/agents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoppableAgent } from '../../services/agent/models/stoppable-agent.ts';
import { makeOpenAI } from '../../services/agent/providers/openai/model.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { startTextSession } from './text-session.ts';

let server: OpenAIServer;
beforeAll(async () => {
  server = await startOpenAIServer();
});
afterAll(() => server.close());

/** A reply whose model went silent after two words. */
async function startSilentReply(agent: voice.Agent) {
  const asked = Promise.withResolvers<AbortSignal>();
  server.reply(({ gone }) => {
    asked.resolve(gone);
    return { text: 'one two three', stall: { after: 2 } };
  });
  const settings = { provider: 'openai', baseUrl: server.baseUrl, maxOutputTokens: 9, timeoutMs: 60_000 } as const;
  const talk = await startTextSession(makeOpenAI(settings, onThisMachine), { agent });
  const speaking = new Promise<void>((resolve) => {
    talk.session.on(voice.AgentSessionEventTypes.AgentStateChanged, ({ newState }) => {
      if (newState === 'speaking') resolve();
    });
  });
  const handle = talk.session.generateReply({ userInput: 'Hello' });
  await speaking;
  return { talk, handle, gone: await asked.promise };
}

test('a reply whose model is silent ends at once, is marked, and is given up at the provider', async () => {
  const plain = await startSilentReply(new voice.Agent({ instructions: '' }));
  const agent = new StoppableAgent({ instructions: '' });
  const { talk, handle, gone } = await startSilentReply(agent);

  plain.handle.interrupt(true);
  const plainOver = plain.handle.waitForPlayout().then(() => 'the plain agent');
  handle.interrupt(true);
  agent.endReply();
  const over = handle.waitForPlayout().then(() => 'the stoppable agent');

  expect(await Promise.race([plainOver, over])).toBe('the stoppable agent');
  expect(talk.happenings).toContainEqual({ added: 'one two ', role: 'assistant', interrupted: true });
  if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve));
  expect(talk.failures()).toEqual([]);

  server.reply(() => ({ text: 'Yes?' }));
  expect(await talk.turn('Still there?')).toBe('Yes?');
  await Promise.all([talk.session.close(), plain.talk.session.close()]);
});
