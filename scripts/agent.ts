/** `npm run agent -- disable|enable <agent>`: the operator's switch. */
import { setAgentEnabled } from '../services/core/agents/publish.ts';
import { runCommand, theAgent } from './operator/operator.ts';
import { targetHelp } from './operator/target.ts';
import { Fault } from './toolchain/fault.ts';

const usage = 'npm run agent -- disable|enable <agent>';

await runCommand({
  help: [
    `Usage: ${usage}`,
    '',
    'A disabled agent refuses new sessions (401 agent_disabled) at once; conversations that run go on to their end.',
    '',
    ...targetHelp,
  ],
  options: {},
  run: async ({ db, tenant, notifier, say }, given) => {
    const [verb, ...words] = given.words;
    if (verb !== 'disable' && verb !== 'enable') throw new Fault(`Say disable or enable: ${usage}`);
    const agent = theAgent({ ...given, words }, usage);
    await setAgentEnabled({ db, notifier }, { tenant, agent, enabled: verb === 'enable' });
    say(`${agent} is ${verb}d.`);
  },
});
