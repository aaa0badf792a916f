/** What is asked of an identity provider. Nothing of it is kept between two sign-ins, so that a key it has taken back is none of ours either. */
import * as oidc from 'openid-client';
import { problems } from '../../../contract/problems.ts';

export interface IssuerSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** What a sign-in that has begun has to show at its end. */
export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who an identity provider says that somebody is. */
export interface Identity {
  issuer: string;
  subject: string;
  /** In lower case; undefined unless the identity provider has verified that it is theirs. */
  email: string | undefined;
  name: string | undefined;
}

/** Somebody waits in front of the page meanwhile. */
const timeoutSeconds = 5;
const scope = 'openid email profile';

/** Where the person goes to sign in. @throws Problem `unavailable` */
export async function begin(settings: IssuerSettings, redirectUri: string): Promise<Begun & { url: URL }> {
  const config = await discover(settings);
  const begun = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
  const url = oidc.buildAuthorizationUrl(config, {
    ...{ redirect_uri: redirectUri, scope, state: begun.state, nonce: begun.nonce },
    ...{ code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier), code_challenge_method: 'S256' },
  });
  return { ...begun, url };
}

/**
 * Who has come back. The library checks state, issuer, audience, nonce and times, and the mark of the ID token by the issuer's keys as they are
 * now; it takes no `none` and no symmetric one. @param callback where they came back to, with what was added to it
 * @throws Problem `sign_in_cancelled`, `sign_in_refused`, `unavailable`
 */
export async function finish(settings: IssuerSettings, callback: URL, begun: Begun): Promise<Identity> {
  const config = await discover(settings);
  return orProblem(async () => {
    const tokens = await oidc.authorizationCodeGrant(config, callback, {
      ...{ expectedState: begun.state, expectedNonce: begun.nonce, pkceCodeVerifier: begun.verifier },
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('there is no ID token');
    const said = 'email' in claims ? claims : await askForMore(config, tokens.access_token, claims);
    return { issuer: claims.iss, subject: claims.sub, email: verifiedEmail(said), name: text(said.name) };
  });
}

/** Most identity providers put the address into the ID token; the specification has it here (OpenID Connect Core, 5.4). */
async function askForMore(config: oidc.Configuration, accessToken: string, claims: oidc.IDToken) {
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...claims, ...(await oidc.fetchUserInfo(config, accessToken, claims.sub)) };
}

const verifiedEmail = ({ email, email_verified: isVerified }: oidc.UserInfoResponse | oidc.IDToken) =>
  isVerified === true ? text(email)?.toLowerCase() : undefined;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The issuer's own description, and with it nothing remembered of its keys. HTTP is for an issuer on this machine: the setting sees to that. */
const discover = ({ issuer, clientId, clientSecret }: IssuerSettings): Promise<oidc.Configuration> =>
  orProblem(async () => {
    const isPlain = new URL(issuer).protocol === 'http:';
    return await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // Without it the library trusts what came by TLS, and looks at no mark.
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    });
  });

async function orProblem<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    const why = { why: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' };
    if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
      throw problems.signInCancelled(why);
    throw isAway(error) ? problems.issuerAway(why) : problems.signInRefused(why);
  }
}

/** `fetch` fails with a TypeError; a server that is being restarted answers 5xx, or not in time. */
const isAway = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error instanceof oidc.ClientError && ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'].includes(error.code ?? ''));
