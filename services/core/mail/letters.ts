/** What we write to people. Plain text: nothing is fetched when it is opened, and a link is what it looks like. */
import type { Role } from '../../contract/roles.ts';
import type { Letter } from './mailer.ts';

/** Those that letters are written in; the first where somebody reads neither. */
export const letterLanguages = ['en', 'de'] as const;
export type LetterLanguage = (typeof letterLanguages)[number];

export interface InvitationLetter {
  to: string;
  tenant: string;
  role: Role;
  /** Undefined where nobody of the tenant has invited them. */
  inviter: string | undefined;
  link: string;
}

export const invitationLetter = (language: LetterLanguage, letter: InvitationLetter): Letter => ({
  to: letter.to,
  ...invitations[language](letter),
});

export const resetLetter = (language: LetterLanguage, letter: ResetLetter): Letter => ({
  to: letter.to,
  ...resets[language](letter),
});

/** That somebody, who should be the person themselves, has changed what lets them in. */
export const identityLetter = (language: LetterLanguage, letter: IdentityLetter): Letter => ({
  to: letter.to,
  ...identityChanges[language](letter),
});

interface IdentityLetter {
  to: string;
  change: 'linked' | 'unlinked';
  issuer: string;
  /** To the page where they see what lets them in. */
  link: string;
}

interface ResetLetter {
  to: string;
  link: string;
}

type Words<About> = (letter: About) => Omit<Letter, 'to'>;

const invitations: Record<LetterLanguage, Words<InvitationLetter>> = {
  en: ({ tenant, role, inviter, link }) => ({
    subject: `You are invited to ${tenant}`,
    text: `Hello,

${inviter ?? 'Somebody'} invites you to ${tenant} on Parley, as ${role}.

Accept within 7 days:
${link}

The link is for you alone and works once. If you expected no invitation, leave it: nothing happens.
`,
  }),
  de: ({ tenant, role, inviter, link }) => ({
    subject: `Einladung zu ${tenant}`,
    text: `Guten Tag,

${inviter ?? 'Jemand'} lädt Sie zu ${tenant} auf Parley ein, als ${germanRoles[role]}.

Nehmen Sie innerhalb von 7 Tagen an:
${link}

Der Link ist nur für Sie und gilt einmal. Wenn Sie keine Einladung erwartet haben, lassen Sie ihn liegen: es geschieht nichts.
`,
  }),
};

const germanRoles: Record<Role, string> = {
  ...{ viewer: 'Leser', editor: 'Bearbeiter' },
  ...{ admin: 'Verwalter', owner: 'Inhaber' },
};

const resets: Record<LetterLanguage, Words<ResetLetter>> = {
  en: ({ to, link }) => ({
    subject: 'Choose a new password',
    text: `Hello,

somebody, probably you, has asked for a new password for ${to}.

Choose one within 30 minutes:
${link}

The link works once. If it was not you, leave it: your password stays as it is.
`,
  }),
  de: ({ to, link }) => ({
    subject: 'Ein neues Passwort wählen',
    text: `Guten Tag,

jemand, wohl Sie, hat um ein neues Passwort für ${to} gebeten.

Wählen Sie es innerhalb von 30 Minuten:
${link}

Der Link gilt einmal. Wenn Sie es nicht waren, lassen Sie ihn liegen: Ihr Passwort bleibt, wie es ist.
`,
  }),
};

const identityChanges: Record<LetterLanguage, Words<IdentityLetter>> = {
  en: ({ to, change, issuer, link }) => ({
    subject: `An identity provider was ${change}`,
    text: `Hello,

somebody, probably you, has ${change} the identity provider ${issuer} ${change === 'linked' ? 'to' : 'from'} ${to}.
${change === 'linked' ? 'Whoever signs in there as they did comes in here as you.' : 'Nobody comes in here as you by what was unlinked.'}

What lets you in, you see here:
${link}

If it was not you, choose a new password, unlink what is not yours, and tell whoever runs this installation.
`,
  }),
  de: ({ to, change, issuer, link }) => ({
    subject: `Ein Identitätsanbieter wurde ${germanChanges[change]}`,
    text: `Guten Tag,

jemand, wohl Sie, hat den Identitätsanbieter ${issuer} ${change === 'linked' ? 'mit' : 'von'} ${to} ${germanChanges[change]}.
${change === 'linked' ? 'Wer sich dort ebenso anmeldet, kommt hier als Sie herein.' : 'Damit kommt hier niemand mehr als Sie herein.'}

Womit Sie hereinkommen, sehen Sie hier:
${link}

Wenn Sie es nicht waren, wählen Sie ein neues Passwort, trennen Sie, was nicht Ihres ist, und sagen Sie es dem, der diese Installation betreibt.
`,
  }),
};

const germanChanges = { linked: 'verbunden', unlinked: 'getrennt' } as const;
