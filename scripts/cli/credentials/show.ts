import { Command } from '@commander-js/extra-typings';
import { revealCredentials, secretBytes } from '../../../services/core/credentials/credentials.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description("Prints an agent's API key and secret")
    .argument('<agent>', 'its file name without .yaml')
    .addHelpText('after', '\nThey open sessions and sign webhooks: show them to nobody else.'),
).action((agent, flags) => asOperator(flags, (operator) => sayCredentials(operator, agent)));

/** Both as they are now. @throws Problem `agent_not_found` */
export async function sayCredentials({ db, tenant, vault, say }: Operator, agent: string): Promise<void> {
  const { apiKey, apiSecret } = await revealCredentials({ db, vault: vault() }, { tenant, agent });
  say(`API key     ${apiKey}`);
  say(`API secret  ${apiSecret}`);
  say(`            whsec_${secretBytes(apiSecret).toString('base64')} (the same, for Standard Webhooks libraries)`);
}
