import { Command } from '@commander-js/extra-typings';
import { setAgentEnabled } from '../../../services/core/agents/publish.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Refuses new sessions of an agent until it is enabled')
    .argument('<agent>', 'its file name without .yaml')
    .addHelpText('after', '\nIts key gets 401 agent_disabled at once; conversations that run go on to their end.'),
).action((agent, flags) =>
  asOperator(flags, async ({ db, tenant, notifier, say }) => {
    await setAgentEnabled({ db, notifier }, { tenant, agent, enabled: false });
    say(`${agent} is disabled.`);
  }),
);
