import { Command } from '@commander-js/extra-typings';
import { renewOwnerInvitation } from '../../../services/core/members/first-owner.ts';
import { asOperator } from '../operator.ts';
import { onTarget, where } from '../target.ts';
import { sayInvitation, theAddress, theInvitation } from './show.ts';

export const command = onTarget(
  new Command()
    .description("Makes a new link of the first owner's invitation; the earlier one opens nothing any more")
    .addOption(where.url()),
).action(({ url, ...flags }) =>
  asOperator(flags, async ({ db, tenant, vault, say }) => {
    sayInvitation(say, theAddress(url), theInvitation(await renewOwnerInvitation({ db, vault: vault() }, tenant)));
  }),
);
