import type { Role } from '../../contract/roles.ts';
import type { Logger } from '../../process/logger.ts';
import type { Database } from '../../store/database.ts';
import { findPerson } from '../../store/tables/persons.ts';
import { findTenant } from '../../store/tables/tenants.ts';
import { invitationLetter, type LetterLanguage } from '../mail/letters.ts';
import type { Mailer } from '../mail/mailer.ts';

/** How we write to people. */
export interface Post {
  mailer: Mailer;
  /** Where people reach us, without a slash at its end. */
  publicUrl: string;
}

export interface HandOverDeps {
  people: Database;
  log: Logger;
  /** Undefined where there is no mail. */
  post: Post | undefined;
}

export interface MadeInvitation {
  id: string;
  email: string;
  role: Role;
  token: string;
}

/**
 * Mails an invitation to whom it is for. Where there is no mail, or the letter was not taken, whoever invites is given the token and hands it
 * on; else nobody but its reader has it.
 */
export async function handOver(
  { people, log, post }: HandOverDeps,
  by: { tenant: string; person: string },
  made: MadeInvitation,
  language: LetterLanguage,
): Promise<Omit<MadeInvitation, 'token'> & { token: string | null; mailed: boolean }> {
  if (!post) return { ...made, mailed: false };
  try {
    const [tenant, inviter] = await Promise.all([
      people.asTenant(by.tenant, (tx) => findTenant(tx, by.tenant)),
      findPerson(people, by.person),
    ]);
    const { email: to, role, token } = made;
    const link = `${post.publicUrl}/invitation#${token}`;
    const letter = { to, role, link, tenant: tenant?.name ?? '', inviter: inviter?.name };
    await post.mailer.send(invitationLetter(language, letter));
    return { ...made, token: null, mailed: true };
  } catch (err) {
    log.warn({ err }, 'an invitation was not mailed');
    return { ...made, mailed: false };
  }
}
