/** `npm run invitation`: shows the link that makes its holder the first owner of a tenant, or makes a new one. */
import {
  type OwnerInvitation,
  renewOwnerInvitation,
  revealOwnerInvitation,
} from '../services/core/members/first-owner.ts';
import { type Given, runCommand } from './operator/operator.ts';
import { targetHelp } from './operator/target.ts';
import { Fault } from './toolchain/fault.ts';

const usage = 'npm run invitation -- --address https://… [--renew]';

await runCommand({
  help: [
    `Usage: ${usage}`,
    '',
    "Shows the link of the first owner's invitation, which the stack made. Whoever has it becomes the owner: send it to nobody else.",
    '',
    '  --address       where the tenant is reached, as the output url of its stack says',
    '  --renew         makes a new link; the earlier one opens nothing any more',
    ...targetHelp,
  ],
  options: { address: { type: 'string' }, renew: { type: 'boolean' } },
  run: async ({ db, tenant, vault, say }, given) => {
    const address = theAddress(given);
    const deps = { db, vault: vault() };
    const invitation = await (given.flags.renew ? renewOwnerInvitation : revealOwnerInvitation)(deps, tenant);
    if (!invitation)
      throw new Fault(
        'No invitation is open: parley:firstOwner of the stack says who is invited, until one has accepted.',
      );
    if (invitation.expiresAt < new Date())
      throw new Fault(`The invitation has expired: make a new link with ${usage.replace(' [--renew]', ' --renew')}.`);
    show(say, address, invitation);
  },
});

function theAddress({ flags: { address } }: Given): URL {
  if (typeof address === 'string' && URL.canParse(address)) return new URL(address);
  throw new Fault(`Say where the tenant is reached: ${usage}`);
}

/** The token stands behind a #, which browsers send to nobody: it gets into no log on the way. */
function show(say: (line: string) => void, address: URL, { email, token, expiresAt }: OwnerInvitation): void {
  const link = new URL('/invitation', address);
  link.hash = token;
  say(`Owner    ${email}`);
  say(`Link     ${link}`);
  say(`Expires  ${expiresAt.toISOString()}`);
  say('The page that accepts it is not part of this version yet (docs/operate/first-tenant.md).');
}
