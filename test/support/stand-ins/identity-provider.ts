import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { listen } from '../../../services/process/listen.ts';

export const clientId = 'parley';
export const clientSecret = 'a secret that only the two of us know';

/** What it says of a person beside their subject. */
export interface Claims {
  email?: string;
  email_verified?: boolean | string;
  name?: string;
}

/** A real identity provider on a socket, whose people need no password: a request's `login_hint` is who they are. */
export class IdentityProvider implements AsyncDisposable {
  readonly issuer: string;
  readonly people = new Map<string, Claims>();
  /** Stands between the provider and us: what is made of the ID token that it gives. */
  forge: ((idToken: string) => string | Promise<string>) | undefined;
  readonly #port: number;
  readonly #redirectUri: string;
  #key: CryptoKey | undefined;
  #keyName = '';
  #handler: RequestListener = () => undefined;
  #server: Server | undefined;

  private constructor(port: number, redirectUri: string) {
    this.#port = port;
    this.#redirectUri = redirectUri;
    this.issuer = `http://127.0.0.1:${port}`;
  }

  /** @param redirectUri where it may send people back to */
  static async start(redirectUri: string): Promise<IdentityProvider> {
    const provider = new IdentityProvider(await freeTcpPort(), redirectUri);
    await provider.rotate();
    await provider.comeBack();
    return provider;
  }

  /** Another key, and nothing left of the one before. */
  async rotate(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    this.#key = privateKey;
    this.#keyName = `key-${Math.random()}`;
    const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: this.#keyName };
    this.#handler = this.#madeWith(key);
  }

  /** A token that bears the very mark of the provider. */
  sign(claims: Record<string, unknown>): Promise<string> {
    if (!this.#key) throw new Error('the provider has no key yet');
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: this.#keyName }).sign(this.#key);
  }

  async goAway(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    this.#server = undefined;
  }

  async comeBack(): Promise<void> {
    this.#server = createServer((req, res) => this.#handler(req, res));
    await listen(this.#server, { port: this.#port, bind: '127.0.0.1' });
  }

  [Symbol.asyncDispose] = (): Promise<void> => this.goAway();

  /** As a browser would go there and come back: the address at which it comes back. */
  async visit(location: string, subject: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let url = new URL(location);
    url.searchParams.set('login_hint', subject);
    while (url.href.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const next = answer.headers.get('location');
      if (next === null) throw new Error(`${url.pathname} leads nowhere (${answer.status}): ${await answer.text()}`);
      url = new URL(next, url);
    }
    return url;
  }

  #madeWith(key: JWK): RequestListener {
    const provider: Provider = new Provider(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [this.#redirectUri] }],
      jwks: { keys: [key] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['of the tests'] },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, subject) => ({
        accountId: subject,
        claims: async () => ({ sub: subject, ...this.people.get(subject) }),
      }),
      // Nobody is asked whether we may know who they are.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (ctx, next) => {
      await next();
      const body = ctx.body as { id_token?: string } | undefined;
      if (ctx.path === '/token' && this.forge && body?.id_token !== undefined)
        ctx.body = { ...body, id_token: await this.forge(body.id_token) };
    });
    const answer = provider.callback();
    return (req, res) => void (req.url?.startsWith('/interaction/') ? signsIn(provider, req, res) : answer(req, res));
  }
}

async function signsIn(provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(req, res);
  await provider.interactionFinished(req, res, { login: { accountId: String(params.login_hint) } });
}
