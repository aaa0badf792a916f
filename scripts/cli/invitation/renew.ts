import { Command } from '@commander-js/extra-typings';
import { renewOwnerInvitation } from '../../../services/core/members/first-owner.ts';
import type { Database } from '../../../services/store/database.ts';
import { asOperator, asPeople } from '../operator.ts';
import { onTarget, where } from '../target.ts';
import { sayInvitation, theAddress, theInvitation } from './show.ts';

export const command = onTarget(
  new Command()
    .description("Makes a new link of the first owner's invitation; the earlier one opens nothing any more")
    .addOption(where.url()),
).action(({ url, ...flags }) =>
  asOperator({ ...flags, url }, async ({ db, target, tenant, vault, say }) => {
    const address = theAddress(url);
    const renew = (as: Database) => renewOwnerInvitation({ db: as, vault: vault() }, tenant);
    // Until an owner has come, the services' role may invite one, too.
    const made = target.peopleKeys === undefined ? await renew(db) : await asPeople(target, renew);
    sayInvitation(say, address, theInvitation(made));
  }),
);
