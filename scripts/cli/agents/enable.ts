import { Command } from '@commander-js/extra-typings';
import { setAgentEnabled } from '../../../services/core/agents/publish.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Lets a disabled agent take sessions again')
    .argument('<agent>', 'its file name without .yaml'),
).action((agent, flags) =>
  asOperator(flags, async ({ db, tenant, notifier, say }) => {
    await setAgentEnabled({ db, notifier }, { tenant, agent, enabled: true });
    say(`${agent} is enabled.`);
  }),
);
