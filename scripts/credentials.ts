/** `npm run credentials -- <agent>`: shows an agent's key and secret, or makes new ones. */
import {
  regenerateKey,
  regenerateSecret,
  revealCredentials,
  secretBytes,
} from '../services/core/credentials/credentials.ts';
import { type Given, runCommand, theAgent } from './operator/operator.ts';
import { targetHelp } from './operator/target.ts';
import { Fault } from './toolchain/fault.ts';

const usage = 'npm run credentials -- <agent> [--regenerate key|secret --grace 0|1h|24h]';
const graces: Record<string, number> = { 0: 0, '1h': 3_600_000, '24h': 86_400_000 };

await runCommand({
  help: [
    `Usage: ${usage}`,
    '',
    'Shows the API key and secret of an agent. They open sessions and sign webhooks: show them to nobody else.',
    '',
    '  --regenerate    key or secret: makes a new one',
    '  --grace         how long the old one works beside it: 0, 1h or 24h',
    ...targetHelp,
  ],
  options: { regenerate: { type: 'string' }, grace: { type: 'string' } },
  run: async ({ db, tenant, notifier, vault, say }, given) => {
    const owner = { tenant, agent: theAgent(given, usage) };
    const wish = readWish(given);
    const deps = { db, notifier, vault: vault() };
    if (wish?.what === 'key') await regenerateKey(deps, owner, wish.graceMs);
    if (wish?.what === 'secret') await regenerateSecret(deps, owner, wish.graceMs);
    const { apiKey, apiSecret } = await revealCredentials(deps, owner);
    say(`API key     ${apiKey}`);
    say(`API secret  ${apiSecret}`);
    say(`            whsec_${secretBytes(apiSecret).toString('base64')} (the same, for Standard Webhooks libraries)`);
  },
});

function readWish({ flags }: Given): { what: 'key' | 'secret'; graceMs: number } | undefined {
  const { regenerate, grace } = flags;
  if (regenerate === undefined && grace === undefined) return undefined;
  if (regenerate !== 'key' && regenerate !== 'secret') throw new Fault(`Say what to make anew: ${usage}`);
  const graceMs = typeof grace === 'string' ? graces[grace] : undefined;
  if (graceMs === undefined)
    throw new Fault(`Say with --grace how long the old ${regenerate} goes on working: 0, 1h or 24h.`);
  return { what: regenerate, graceMs };
}
