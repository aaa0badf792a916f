import { Command } from '@commander-js/extra-typings';
import { resetPassword } from '../../../services/core/account/reset-password.ts';
import { settings } from '../../../services/settings/settings.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator, asPeople } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Gives a person a new password, prints it once, and ends whatever they are signed in with')
    .argument('<email>', 'address that they sign in with')
    .addHelpText('after', `\nNeeds ${settings.peopleKeys.name}, which only the API has beside you.`),
).action((email, flags) =>
  asOperator(
    flags,
    async ({ target, say }) => {
      const { passwords } = settings.openIdConnect.settings;
      if (process.env[passwords.name] === 'refused')
        throw new Fault(`Passwords are refused here (${passwords.name}): people sign in by the identity provider.`);
      const password = await asPeople(target, (people) => resetPassword(people, email));
      if (password === undefined) throw new Fault(`Nobody signs in as ${email}.`);
      say(`Password  ${password}`);
      say('It is shown nowhere again. Whoever was signed in with the earlier one is not any more.');
    },
    'api',
  ),
);
