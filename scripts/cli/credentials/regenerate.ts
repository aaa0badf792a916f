import { Argument, Command, Option } from '@commander-js/extra-typings';
import { regenerateKey, regenerateSecret } from '../../../services/core/credentials/credentials.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';
import { sayCredentials } from './show.ts';

const graces = { 0: 0, '1h': 3_600_000, '24h': 86_400_000 };

export const command = onTarget(
  new Command()
    .description('Makes a new key or secret of an agent, and prints both')
    .argument('<agent>', 'its file name without .yaml')
    .addArgument(new Argument('<key-or-secret>').choices(['key', 'secret']))
    .addOption(new Option('--grace <time>', 'how long the old one works beside it').choices(['0', '1h', '24h'])),
).action((agent, what, { grace, ...flags }) => {
  if (grace === undefined) throw new Fault(`Say with --grace how long the old ${what} goes on working: 0, 1h or 24h.`);
  return asOperator(flags, async (operator) => {
    const { db, tenant, notifier, vault } = operator;
    const regenerate = what === 'key' ? regenerateKey : regenerateSecret;
    await regenerate({ db, notifier, vault: vault() }, { tenant, agent }, graces[grace]);
    await sayCredentials(operator, agent);
  });
});
