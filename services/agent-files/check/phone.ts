import type { AgentFile } from '../../contract/generated/agent.ts';
import { promptVariables } from '../definition/instructions.ts';
import type { Finding } from '../faults.ts';

/** Calling hours that can be kept, and variables that nothing else has the name of. */
export function checkPhone({ phone }: AgentFile): Finding[] {
  const { hours = [], variables = {} } = phone?.outbound ?? {};
  return [...hours.flatMap(checkSpan), ...Object.keys(variables).flatMap(checkName)];
}

const checkSpan = ({ from, to }: { from: string; to: string }, index: number): Finding[] =>
  from < to
    ? []
    : [
        {
          path: ['phone', 'outbound', 'hours', `${index}`],
          rule: 'calling-hours',
          message: `From ${from} to ${to} is no span of a day: one that goes past midnight is written as two.`,
        },
      ];

const checkName = (name: string): Finding[] =>
  (promptVariables as readonly string[]).includes(name)
    ? [
        {
          path: ['phone', 'outbound', 'variables', name],
          at: 'key',
          rule: 'call-variable',
          message: `{{${name}}} means something else in every prompt already. Give the variable another name.`,
        },
      ]
    : [];
