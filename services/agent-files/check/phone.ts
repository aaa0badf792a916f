import type { AgentFile } from '../../contract/generated/agent.ts';
import { promptVariables } from '../definition/instructions.ts';
import { checkLocalized } from '../definition/localized.ts';
import type { Finding } from '../faults.ts';
import { inBraces, unknownPlaceholders } from './placeholders.ts';

/** Calling hours that can be kept, and variables that nothing else has the name of. */
export function checkPhone({ phone }: Pick<AgentFile, 'phone'>): Finding[] {
  const { hours = [], variables = {} } = phone?.outbound ?? {};
  return [...hours.flatMap(checkSpan), ...Object.keys(variables).flatMap(checkName)];
}

/** A message that the agent can leave, in its languages, about what it is told of a call. */
export function checkMachineMessage({
  phone,
  tools,
  languages,
}: Pick<AgentFile, 'phone' | 'tools' | 'languages'>): Finding[] {
  const { message, variables = {} } = phone?.outbound ?? {};
  if (message === undefined) return [];
  const path = ['phone', 'outbound', 'message'];
  const codes = languages.map(({ code }) => code);
  const known = Object.keys(variables);
  const texts = typeof message === 'string' ? [{ path, text: message }] : textsOf(message, path);
  const unknown = texts.flatMap(({ path: place, text }) =>
    unknownPlaceholders(text, known).map(({ within }) => ({
      ...{ path: place, within, rule: 'machine-message' },
      message: `A message may use variables of the call only: ${inBraces(known) || 'there are none'}.`,
    })),
  );
  const faults = [...checkLocalized(message, path, codes), ...unknown];
  if (tools.includes('answering_machine')) return faults;
  const noTool = 'No message is left without the tool: add answering_machine to "tools", or take the message out.';
  return [...faults, { path, at: 'key', rule: 'machine-message', message: noTool }];
}

const textsOf = (message: Record<string, string>, path: readonly string[]) =>
  Object.entries(message).map(([code, text]) => ({ path: [...path, code], text }));

/** Destinations that the model can choose, and what is said before, in languages that the agent has. */
export function checkTransfers({
  phone,
  tools,
  languages,
}: Pick<AgentFile, 'phone' | 'tools' | 'languages'>): Finding[] {
  if (!phone?.transfers) return [];
  const path = ['phone', 'transfers'];
  const codes = languages.map(({ code }) => code);
  const lines = Object.entries(phone.transfers).flatMap(([name, { say }]) =>
    say === undefined ? [] : checkLocalized(say, [...path, name, 'say'], codes),
  );
  if (tools.includes('transfer')) return lines;
  const message = 'Nobody is put through without the tool: add transfer to "tools", or take the destinations out.';
  return [...lines, { path, at: 'key', rule: 'transfer-tool', message }];
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
