/** What we write to people. Plain text: nothing is fetched when it is opened, and a link is what it looks like. */
import type { Role } from '../../contract/roles.ts';
import type { Letter } from './mailer.ts';

export interface InvitationLetter {
  to: string;
  tenant: string;
  role: Role;
  /** Undefined where nobody of the tenant has invited them. */
  inviter: string | undefined;
  link: string;
}

export const invitationLetter = ({ to, tenant, role, inviter, link }: InvitationLetter): Letter => ({
  to,
  subject: `You are invited to ${tenant}`,
  text: `Hello,

${inviter ?? 'Somebody'} invites you to ${tenant} on Parley, as ${role}.

Accept within 7 days:
${link}

The link is for you alone and works once. If you expected no invitation, leave it: nothing happens.
`,
});

export const resetLetter = ({ to, link }: { to: string; link: string }): Letter => ({
  to,
  subject: 'Choose a new password',
  text: `Hello,

somebody, probably you, has asked for a new password for ${to}.

Choose one within 30 minutes:
${link}

The link works once. If it was not you, leave it: your password stays as it is.
`,
});
