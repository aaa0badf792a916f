import { Command } from '@commander-js/extra-typings';
import { renewOwnerInvitation } from '../../../services/core/members/first-owner.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';
import { addressOption, sayInvitation, theAddress, theInvitation } from './show.ts';

export const command = onTarget(
  new Command()
    .description("Makes a new link of the first owner's invitation; the earlier one opens nothing any more")
    .addOption(addressOption()),
).action(({ address, ...flags }) =>
  asOperator(flags, async ({ db, tenant, vault, say }) => {
    const where = theAddress(address);
    sayInvitation(say, where, theInvitation(await renewOwnerInvitation({ db, vault: vault() }, tenant)));
  }),
);
