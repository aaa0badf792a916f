/** `npm run validate [folder]`: checks a folder of agents, without network. Exit status 1 when something is wrong. */
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { estimateTokens } from '../services/contract/agents/check-agent.ts';
import { type Fault, loadAgents } from '../services/contract/agents/load.ts';
import { missingKeys } from '../services/contract/agents/provider-keys.ts';
import { loadPolicies, PoliciesUnusable } from '../services/contract/policies/load.ts';

const usage = `Usage: npm run validate -- [folder] [--production] [--webhook-off] [--policies folder]

Checks the agents, tools, knowledge and scenarios in a folder (default: agents) and prints every fault as
file:line:column  message [rule]. Nothing is sent anywhere. docs/rules.md lists the rules.

  --production   tools and webhooks must not point to this machine
  --webhook-off  warn where a webhook is set, as in a tenant without features.webhook
  --policies     folder of the operator's own rules (policies.yaml, <name>.ts); default: PARLEY_POLICIES`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    production: { type: 'boolean', default: false },
    'webhook-off': { type: 'boolean', default: false },
    policies: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(usage);
else {
  await validate(positionals[0] ?? 'agents').catch((error: unknown) => {
    if (!(error instanceof PoliciesUnusable)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });
}

async function validate(folder: string): Promise<void> {
  const { agents, faults, scenarios } = await loadAgents(folder, {
    environment: values.production ? 'production' : 'development',
    webhookEnabled: !values['webhook-off'],
    policies: await loadPolicies(values.policies ?? (process.env.PARLEY_POLICIES || undefined)),
  });
  const keys = agents.flatMap(({ agent }) =>
    missingKeys(agent, process.env).map((message) => keyWarning(agent, message)),
  );
  const found = [...faults, ...keys];
  for (const fault of found) console.log(lineOf(folder, fault));
  if (found.length > 0) console.log('');
  for (const { hash, agent } of agents) {
    const tokens = estimateTokens(agent.prompt) + estimateTokens(agent.knowledge);
    const conversations = scenarios.find((file) => file.agent === agent.agent)?.scenarios.length ?? 0;
    console.log(
      `${agent.agent}  version ${hash.slice(0, 12)}  ${agent.languages.map(({ code }) => code).join(', ')}  ` +
        `${counted(agent.tools.length, 'tool')}  about ${tokens} tokens of instructions  ${counted(conversations, 'scenario')}`,
    );
  }
  const errors = found.filter(({ severity }) => severity === 'error').length;
  const warnings = found.length - errors;
  console.log(
    `${counted(agents.length, 'agent')} without errors, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`,
  );
  process.exitCode = errors > 0 ? 1 : 0;
}

/** No more than a warning: whoever checks agents seldom has the keys of those who run them. */
function keyWarning({ agent }: { agent: string }, message: string): Fault {
  return { file: `${agent}.yaml`, line: 1, column: 1, rule: 'provider-key', severity: 'warning', message };
}

function lineOf(folder: string, { file, line, column, rule, severity, message }: Fault): string {
  const path = relative(process.cwd(), join(folder, file)) || '.';
  return `${path}:${line}:${column}  ${severity === 'warning' ? 'warning: ' : ''}${message} [${rule}]`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
