import { Command } from '@commander-js/extra-typings';
import { type OwnerInvitation, revealOwnerInvitation } from '../../../services/core/members/first-owner.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget, where } from '../target.ts';

const nobodyInvited =
  'No invitation is open: parley:firstOwner of the stack says who is invited, until one has accepted.';

export const command = onTarget(
  new Command()
    .description("Prints the link of the first owner's invitation")
    .addOption(where.url())
    .addHelpText('after', '\nThe stack made it. Whoever has the link becomes the owner: send it to nobody else.'),
).action(({ url, ...flags }) =>
  asOperator({ ...flags, url }, async ({ db, tenant, vault, say }) => {
    const address = theAddress(url);
    const invitation = theInvitation(await revealOwnerInvitation({ db, vault: vault() }, tenant));
    if (invitation.expiresAt < new Date())
      throw new Fault(`The invitation has expired: parley invitation renew --url ${address} makes a new link.`);
    sayInvitation(say, address, invitation);
  }),
);

/** @throws Fault where there is none */
export function theAddress(given: string | undefined): string {
  if (given === undefined)
    throw new Fault(
      'Say with --url where the tenant is reached, such as https://acme.example.com, or with --stack which one it is.',
    );
  return given;
}

/** @throws Fault where there is none */
export function theInvitation(found: OwnerInvitation | undefined): OwnerInvitation {
  if (!found) throw new Fault(nobodyInvited);
  return found;
}

/** The token stands behind a #, which browsers send to nobody: it gets into no log on the way. */
export function sayInvitation(
  say: (line: string) => void,
  address: string,
  { email, token, expiresAt }: OwnerInvitation,
): void {
  const link = new URL('/invitation', address);
  link.hash = token;
  say(`Owner    ${email}`);
  say(`Link     ${link}`);
  say(`Expires  ${expiresAt.toISOString()}`);
}
