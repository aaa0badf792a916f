import { anAddress, aText, oneOf } from '../../process/environment.ts';
import { groupWith, optional, required, setting } from '../setting.ts';

const local = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** HTTPS; HTTP to this machine only, where tests and developers have one. */
function anIssuer(text: string): string | undefined {
  const { protocol, hostname, search, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && local.test(hostname));
  return isSafe && search === '' && hash === '' ? text : undefined;
}

/** How people sign in, beside by a password, and how we write to them. */
export const people = {
  openIdConnect: groupWith('issuer', {
    issuer: setting({
      name: 'PARLEY_OIDC_ISSUER',
      readBy: { api: required },
      holds: "the identity provider's issuer, https://…",
      parse: anIssuer,
      otherwise: 'people sign in by password only',
      says: 'The identity provider by which people may sign in (OpenID Connect).',
    }),
    clientId: setting({
      name: 'PARLEY_OIDC_CLIENT_ID',
      readBy: { api: required },
      holds: 'the name under which the identity provider knows us',
      parse: aText,
      says: 'The name under which the identity provider knows us.',
    }),
    clientSecret: setting({
      name: 'PARLEY_OIDC_CLIENT_SECRET',
      readBy: { api: optional },
      holds: 'what the identity provider has given with that name',
      parse: aText,
      secret: true,
      otherwise: 'we are a public client, with PKCE only',
      says: 'Shows the identity provider that it is us.',
    }),
    name: setting({
      name: 'PARLEY_OIDC_NAME',
      readBy: { api: 'single sign-on' },
      holds: 'a name that people know, such as Okta',
      parse: aText,
      says: 'What the page calls the identity provider: "Continue with …".',
    }),
    passwords: setting({
      name: 'PARLEY_PASSWORDS',
      readBy: { api: 'accepted' },
      holds: 'accepted or refused',
      parse: oneOf('accepted', 'refused'),
      says: 'Whether people may sign in by a password, too. Refused, the identity provider is the only way in.',
    }),
  }),
  mail: groupWith('url', {
    url: setting({
      name: 'PARLEY_SMTP_URL',
      readBy: { api: required },
      holds: 'smtps://user:password@host:465 or smtp://user:password@host:587',
      parse: anAddress('smtp:', 'smtps:'),
      secret: true,
      otherwise: 'no mail is sent: whoever invites hands the link on',
      says: 'The server that takes our letters: invitations, and links to choose a new password.',
    }),
    from: setting({
      name: 'PARLEY_MAIL_FROM',
      readBy: { api: required },
      holds: 'a sender, such as Parley <no-reply@acme.example.com>',
      parse: (text) => (/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(text) ? text : undefined),
      says: 'Whom our letters are from.',
    }),
  }),
};
