import { Command } from '@commander-js/extra-typings';
import { readPeopleKeys } from '../../../services/core/account/people-keys.ts';
import { resetPassword } from '../../../services/core/account/reset-password.ts';
import { settings } from '../../../services/settings/settings.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { peopleDatabaseUrl } from '../../../services/store/people-database.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Gives a person a new password, prints it once, and ends whatever they are signed in with')
    .argument('<email>', 'address that they sign in with')
    .addHelpText('after', `\nNeeds ${settings.peopleKeys.name}, which only the API has beside you.`),
).action((email, flags) =>
  asOperator(flags, async ({ target, say }) => {
    const { databaseUrl, peopleKeys } = target;
    if (!peopleKeys) throw new Fault(`Set ${settings.peopleKeys.name} to the keys for people of this installation.`);
    const url = peopleDatabaseUrl(databaseUrl, readPeopleKeys(peopleKeys).databasePassword);
    const people = openDatabase(url, { applicationName: 'parley-operator-people', maxConnections: 1 });
    const password = await resetPassword(people, email).finally(() => people.close());
    if (password === undefined) throw new Fault(`Nobody signs in as ${email}.`);
    say(`Password  ${password}`);
    say('It is shown nowhere again. Whoever was signed in with the earlier one is not any more.');
  }),
);
