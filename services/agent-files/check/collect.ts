/** What the schema of collected fields cannot say: bounds that belong to another kind of value, and fields that nothing notes. */
import type { AgentFile, CollectedField } from '../../contract/generated/agent.ts';
import type { Finding } from '../faults.ts';

export function checkCollect({ collect, tools }: AgentFile): Finding[] {
  if (!collect) return [];
  const message = 'Nothing will be noted: add collect to "tools".';
  const unused: Finding[] = tools.includes('collect')
    ? []
    : [{ path: ['collect'], at: 'key', rule: 'collect-unused', message, severity: 'warning' }];
  return [...unused, ...Object.entries(collect).flatMap(([name, field]) => checkField(field, ['collect', name]))];
}

function checkField(field: CollectedField, path: readonly string[]): Finding[] {
  const { type, minimum, maximum } = field;
  const isNumber = type === 'integer' || type === 'number';
  const wrong = [...(type === 'string' ? [] : ['enum', 'format']), ...(isNumber ? [] : ['minimum', 'maximum'])];
  const misplaced = wrong
    .filter((bound) => bound in field)
    .map((bound): Finding => {
      const message = `"${bound}" is not for a field of type ${type}: change the type or leave it out.`;
      return { path: [...path, bound], at: 'key', rule: 'collect-field', message };
    });
  if (minimum === undefined || maximum === undefined || minimum <= maximum) return misplaced;
  const message = `"minimum" (${minimum}) must not be above "maximum" (${maximum}).`;
  return [...misplaced, { path: [...path, 'minimum'], rule: 'collect-field', message }];
}
