import { Command } from '@commander-js/extra-typings';
import { settings } from '../../../services/settings/settings.ts';
import { signInLink } from '../../start/sign-in-link.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Prints a link that signs you in to the dashboard of a local start, once, within 10 minutes')
    .addHelpText('after', '\nOnly what "npm start" runs takes it, from this machine.'),
).action((flags) =>
  asOperator(flags, async ({ target, tenant, say }) => {
    const { databaseUrl, peopleKeys, publicUrl, isDevelopment } = target;
    if (!isDevelopment || !peopleKeys || !publicUrl)
      throw new Fault(
        `Only a local start is opened by a link. Elsewhere people are invited, and "parley people reset-password" needs ${settings.peopleKeys.name}.`,
      );
    say(await signInLink({ databaseUrl, peopleKeys, publicUrl, tenant }));
  }),
);
