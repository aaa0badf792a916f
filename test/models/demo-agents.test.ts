/** The scenarios of the agents that ship, on the scripted model's rules alone: no room, no network. */
import { expect, test } from 'vitest';
import type { ConversationItem, Step } from '../../services/agent/providers/scripted/conversation.ts';
import { nextStep } from '../../services/agent/providers/scripted/engine.ts';
import { makeArgumentsCheck } from '../../services/agent/tools/validate.ts';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import type { Scenario, Turn } from '../../services/contract/generated/scenario.ts';

const { agents, scenarios, faults } = await loadAgents('agents', { environment: 'production' });

test('the agents that ship have no fault and no warning', () => {
  expect(faults).toEqual([]);
  expect(agents.map(({ agent }) => agent.agent)).toEqual(['restaurant', 'support']);
});

interface Answer {
  said: string;
  calls: { tool: string; arguments: Record<string, unknown> }[];
  ended: boolean;
}

type Conversation = ConversationItem[];

function answer(agent: CompiledAgent, scenario: Scenario, conversation: Conversation): Answer {
  const language = scenario.language ?? agent.defaultLanguage;
  const calls: Answer['calls'] = [];
  // More calls than this in one turn are a loop.
  for (let step = 0; step < 5; step++) {
    const next: Step = nextStep(required(agent.script), conversation, language, agent.tools);
    if ('say' in next) return { said: next.say, calls, ended: next.end === true };
    calls.push(next.call);
    conversation.push({ call: next.call }, { result: resultOf(agent, scenario, next.call) });
  }
  throw new Error('The agent does nothing but call tools.');
}

function resultOf(
  agent: CompiledAgent,
  { tools }: Scenario,
  call: Answer['calls'][number],
): { ok: boolean; output: unknown } {
  const tool = required(agent.tools.find(({ name }) => name === call.tool));
  expect(makeArgumentsCheck(tool)(call.arguments)).toMatchObject({ status: 'ok' });
  const given = required(tools[call.tool]);
  return given.error === undefined ? { ok: true, output: given.result } : { ok: false, output: given.error };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The scenario needs something that the agent does not have.');
  return value;
}

function checkTurn({ say, expect: wanted }: Turn, { said, calls, ended }: Answer): void {
  for (const text of [wanted.text ?? []].flat())
    expect(said.toLowerCase(), `after "${say}"`).toContain(text.toLowerCase());
  if (wanted.tool !== undefined) expect(calls, `after "${say}"`).toMatchObject([{ tool: wanted.tool }]);
  if (wanted.arguments !== undefined) expect(calls[0]?.arguments, `after "${say}"`).toMatchObject(wanted.arguments);
  if (wanted.ended !== undefined) expect(ended, `after "${say}"`).toBe(wanted.ended);
  expect(said, `after "${say}"`).not.toMatch(/\{\{|undefined|null/);
  expect(said).not.toBe('');
}

for (const file of scenarios) {
  const { agent } = required(agents.find((version) => version.agent.agent === file.agent));
  for (const scenario of file.scenarios) {
    test(`${file.agent}: ${scenario.name}`, () => {
      const conversation: Conversation = [];
      for (const turn of scenario.turns) {
        conversation.push({ role: 'user', text: turn.say });
        const given = answer(agent, scenario, conversation);
        checkTurn(turn, given);
        conversation.push({ role: 'assistant', text: given.said });
      }
    });
  }
}
