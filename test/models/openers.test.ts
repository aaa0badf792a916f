import { expect, test } from 'vitest';
import { nextStep } from '../../services/agent/providers/scripted/engine.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { openersIn } from '../../services/web/try/views/openers.ts';

test('what the page suggests is among the phrases that the simple recogniser understands of the shipped agents', async () => {
  const { agents } = await loadAgents('agents', { environment: 'development' });
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L} ]/gu, '');
  for (const { agent } of agents)
    for (const { code, phrases = [] } of agent.languages)
      expect(phrases.map(plain), `${agent.name} in ${code}`).toEqual(
        expect.arrayContaining(openersIn(code).map(plain)),
      );
});

test('what the page suggests is answered by a rule of the shipped agents', async () => {
  const { agents } = await loadAgents('agents', { environment: 'production' });
  const misunderstood = agents.flatMap(({ agent: { script, languages } }) =>
    languages.flatMap(({ code }) =>
      openersIn(code).filter((text) => {
        if (!script) return true;
        const step = nextStep(script, [{ role: 'user', text }], code);
        return 'say' in step && step.say === (script.fallback[code] ?? script.fallback['*']);
      }),
    ),
  );
  expect(misunderstood).toEqual([]);
});
