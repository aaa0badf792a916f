import { join } from 'node:path';
import { Command, Option } from '@commander-js/extra-typings';
import { estimateTokens } from '../../../services/agent-files/check/agent.ts';
import { promptOverride } from '../../../services/agent-files/definition/prompt-override.ts';
import { missingKeys } from '../../../services/agent-files/definition/provider-keys.ts';
import { type CheckOptions, loadAgents, type Fault as PlacedFault } from '../../../services/agent-files/load.ts';
import { loadPolicies, PoliciesUnusable } from '../../../services/agent-files/policies/load.ts';
import { readSettings } from '../../../services/settings/read.ts';
import { settings } from '../../../services/settings/settings.ts';
import { demoToolsUrl } from '../../demo/tools.ts';
import { Fault } from '../../toolchain/fault.ts';
import { givenPath, shownPath } from '../../toolchain/given-path.ts';
import { say } from '../../toolchain/say.ts';
import { agentsOption } from '../agents-folder.ts';

export const command = new Command()
  .description('Checks the agents, without network')
  .addOption(agentsOption())
  .option('--production', 'tools and webhooks must not point to this machine')
  .option('--webhook-off', 'warn where a webhook is set, as in a tenant without features.webhook')
  .addOption(
    new Option(
      '--policies <folder>',
      `folder of the operator's own rules (policies.yaml, <name>.ts); default: ${settings.policiesFolder.name}`,
    ).argParser(givenPath),
  )
  .addHelpText(
    'after',
    `
Prints every fault of agents, tools, knowledge and scenarios as file:line:column  message [rule]; docs/write-agents/rules.md lists the
rules. With ${settings.agentVariables.name} in the environment, agents may name those variables and no others. Nothing is sent anywhere. Exit status 1 when something is wrong.`,
  )
  .action(({ agents, production = false, webhookOff = false, policies }) =>
    validate({
      folder: agents,
      production,
      webhookEnabled: !webhookOff,
      policies: policies ?? (process.env[settings.policiesFolder.name] || undefined),
    }),
  );

interface Wish {
  folder: string;
  production: boolean;
  webhookEnabled: boolean;
  policies: string | undefined;
}

async function validate({ folder, production, webhookEnabled, policies }: Wish): Promise<void> {
  const { agents, faults, scenarios } = await loadAgents(folder, {
    environment: production ? 'production' : 'development',
    webhookEnabled,
    ...declaredHere(),
    policies: await loadPolicies(policies).catch((error: unknown) => {
      throw error instanceof PoliciesUnusable ? new Fault(error.message, { cause: error }) : error;
    }),
  });
  const keys = agents.flatMap(({ agent }) =>
    missingKeys(agent, process.env).map((message) => keyWarning(agent, message)),
  );
  const prompts = agents.flatMap(({ agent }) => promptOverride(agent) ?? []);
  const found = [...faults, ...prompts, ...keys];
  for (const fault of found) say(lineOf(folder, fault));
  if (found.length > 0) say('');
  for (const { hash, agent } of agents) {
    const tokens = estimateTokens(agent.prompt) + estimateTokens(agent.knowledge);
    const conversations = scenarios.find((file) => file.agent === agent.agent)?.scenarios.length ?? 0;
    say(
      `${agent.agent}  version ${hash.slice(0, 12)}  ${agent.languages.map(({ code }) => code).join(', ')}  ` +
        `${counted(agent.tools.length, 'tool')}  about ${tokens} tokens of instructions  ${counted(conversations, 'scenario')}`,
    );
  }
  const errors = found.filter(({ severity }) => severity === 'error').length;
  const warnings = found.length - errors;
  say(
    `${counted(agents.length, 'agent')} without errors, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`,
  );
  process.exitCode = errors > 0 ? 1 : 0;
}

/**
 * What the operator has declared, where that is known here, with what a local start declares for the shipped agents.
 * @throws ConfigurationError where it is no list of names
 */
function declaredHere(): Pick<CheckOptions, 'variables' | 'providerHosts'> {
  const { agentVariables, providerHosts } = readSettings('commands', process.env);
  return { variables: agentVariables && [...agentVariables, demoToolsUrl], providerHosts };
}

/** No more than a warning: whoever checks agents seldom has the keys of those who run them. */
function keyWarning({ agent }: { agent: string }, message: string): PlacedFault {
  return { file: `${agent}.yaml`, line: 1, column: 1, rule: 'provider-key', severity: 'warning', message };
}

function lineOf(folder: string, { file, line, column, rule, severity, message }: PlacedFault): string {
  return `${shownPath(join(folder, file))}:${line}:${column}  ${severity === 'warning' ? 'warning: ' : ''}${message} [${rule}]`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
