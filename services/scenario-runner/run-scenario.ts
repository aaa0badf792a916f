import type { CompiledAgent } from '../agent-files/definition/compiled.ts';
import type { ScenarioFailure } from '../agent-files/scenarios/report.ts';
import type { Scenario } from '../contract/generated/scenario.ts';
import { outcomeByRules } from '../core/finish/outcome.ts';
import { type Miss, missesOf, wholeMissesOf } from './expectations.ts';
import type { Judge } from './judge.ts';
import { type Answer, Rehearsal, type RehearsalDeps } from './rehearsal.ts';

export interface RunDeps extends RehearsalDeps {
  judge: Judge | undefined;
}

export interface Run {
  failures: ScenarioFailure[];
  unjudged: number;
}

interface Told {
  said: string;
  answer: Answer;
}

/** One conversation of a scenario. It stops at the first turn that fails: what comes after it would only be its consequence. */
export async function runOnce(deps: RunDeps, definition: CompiledAgent, scenario: Scenario): Promise<Run> {
  const rehearsal = await Rehearsal.start(deps, definition, scenario).catch((error: unknown) => messageOf(error));
  if (typeof rehearsal === 'string')
    return { failures: [failure(null, 'a model that can be used', rehearsal)], unjudged: 0 };
  using _ = rehearsal;
  const told: Told[] = [];
  let unjudged = 0;
  for (const [index, { say, expect }] of scenario.turns.entries()) {
    if (told.at(-1)?.answer.ended) {
      if (scenario.expect.turns) break;
      const at = { turn: index + 1, said: say };
      return { failures: [failure(at, 'the conversation goes on', 'the agent has ended it before')], unjudged };
    }
    const answer = await rehearsal.say(say);
    told.push({ said: say, answer });
    const misses = missesOf(expect, answer, { definition, mayQuotePrompt: scenario.mayQuotePrompt });
    const judged = misses.length > 0 ? { misses: [], unjudged: 0 } : await judge(deps.judge, expect.judge, told);
    unjudged += judged.unjudged;
    const all = [...misses, ...judged.misses];
    if (all.length > 0)
      return { failures: all.map((miss) => toFailure(miss, { turn: index + 1, said: say })), unjudged };
  }
  const whole = await wholeMisses(deps, { definition, scenario, told });
  return { failures: whole.misses.map((miss) => toFailure(miss, null)), unjudged: unjudged + whole.unjudged };
}

async function wholeMisses(
  { judge: judging }: RunDeps,
  { definition, scenario, told }: { definition: CompiledAgent; scenario: Scenario; told: readonly Told[] },
): Promise<{ misses: Miss[]; unjudged: number }> {
  const answers = told.map(({ answer }) => answer);
  const ended = answers.at(-1)?.ended ?? false;
  const outcome = outcomeByRules({
    endReason: ended ? 'agent_ended' : 'participant_left',
    lines: told.flatMap(({ said, answer }) => [
      { role: 'USER' as const, content: said },
      { role: 'ASSISTANT' as const, content: answer.said },
    ]),
    toolCalls: answers.flatMap(({ calls }) => calls),
    definition,
  });
  const misses = wholeMissesOf(scenario.expect, { answers, outcome, ended });
  const judged = await judge(judging, scenario.expect.judge, told);
  return { misses: [...misses, ...judged.misses], unjudged: judged.unjudged };
}

async function judge(
  judging: Judge | undefined,
  sentences: string | readonly string[] | undefined,
  told: readonly Told[],
): Promise<{ misses: Miss[]; unjudged: number }> {
  const asked = sentences === undefined ? [] : [sentences].flat();
  if (!judging) return { misses: [], unjudged: asked.length };
  const transcript = told.map(({ said, answer }) => `PERSON: ${said}\nAGENT: ${answer.said}`).join('\n');
  const misses = await Promise.all(asked.map((sentence) => missOf(judging, { transcript, sentence })));
  return { misses: misses.filter((miss) => miss !== undefined), unjudged: 0 };
}

async function missOf(judging: Judge, question: { transcript: string; sentence: string }): Promise<Miss | undefined> {
  const expected = `the judge finds: ${question.sentence}`;
  try {
    const { holds, why } = await judging.judge(question);
    return holds ? undefined : { expected, got: why };
  } catch (error) {
    return { expected, got: `the judge could not be asked: ${messageOf(error)}` };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const toFailure = ({ expected, got }: Miss, at: { turn: number; said: string } | null): ScenarioFailure =>
  failure(at, expected, got);

const failure = (at: { turn: number; said: string } | null, expected: string, got: string): ScenarioFailure => ({
  turn: at?.turn ?? null,
  said: at?.said ?? null,
  expected,
  got,
});
