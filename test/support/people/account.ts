import type { Role } from '../../../services/contract/roles.ts';
import { readPeopleKeys } from '../../../services/core/account/people-keys.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { writeInvitation } from '../../../services/core/members/write-invitation.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { peopleDatabaseUrl } from '../../../services/store/people-database.ts';
import { masterKeys, peopleKeys } from '../world/master-keys.ts';
import { type Answer, ask } from './rest.ts';

export const password = 'correct horse battery';

/** Somebody in front of a page of the API: keeps what a browser keeps. */
export class Visitor {
  readonly #baseUrls: readonly string[];
  readonly #address: string;
  accessToken: string | undefined;
  /** `name=value` of the refresh cookie. */
  cookie: string | undefined;

  /** @param baseUrls of the replicas; the first one unless a request says otherwise */
  constructor(baseUrls: readonly string[], address = '198.51.100.7') {
    this.#baseUrls = baseUrls;
    this.#address = address;
  }

  /** As a browser would send it, with what it has. */
  async ask(
    method: string,
    path: string,
    { body, replica = 0, cookie = this.cookie, headers = {} }: AskedByVisitor = {},
  ): Promise<Answer> {
    const base = this.#baseUrls[replica] ?? '';
    const answer = await ask(base, method, path, {
      // One route takes both: the page's token, and the cookie of whoever went to the identity provider.
      key: path.startsWith('/api') || path === '/auth/oidc/link' ? this.accessToken : undefined,
      headers: {
        'x-forwarded-for': this.#address,
        ...(method === 'GET' ? {} : { origin: base }),
        ...(cookie && path.startsWith('/auth') ? { cookie } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return answer;
  }

  /** Takes over what a sign-in, a refresh or an accepted invitation gives. */
  take(answer: Answer): Answer {
    if (typeof answer.body.accessToken === 'string') this.accessToken = answer.body.accessToken;
    this.cookie = cookieOf(answer) ?? this.cookie;
    return answer;
  }

  signIn = async (email: string, given = password): Promise<Answer> =>
    this.take(await this.ask('POST', '/auth/sign-in', { body: { email, password: given } }));

  refresh = async (replica = 0): Promise<Answer> => this.take(await this.ask('POST', '/auth/refresh', { replica }));

  accept = async (token: string, name: string): Promise<Answer> =>
    this.take(await this.ask('POST', '/invitation', { body: { token, name, password } }));
}

interface AskedByVisitor {
  body?: object;
  replica?: number;
  cookie?: string | undefined;
  headers?: Record<string, string>;
}

/** The refresh cookie that an answer sets, as it is sent back. */
export const cookieOf = (answer: Answer): string | undefined =>
  answer.headers.getSetCookie().map((line) => line.split(';')[0])[0];

/** The database as the role for persons, as only the API sees it. */
export const openPeople = (serviceUrl: string): Database =>
  openDatabase(peopleDatabaseUrl(serviceUrl, readPeopleKeys(peopleKeys).databasePassword), {
    connectTimeoutMs: 30_000,
  });

/** The token of an invitation. */
export async function invitation(people: Database, tenant: string, email: string, role: Role): Promise<string> {
  const written = await people.asTenant(tenant, (tx) =>
    writeInvitation(tx, makeVault(masterKeys), { tenant, email, role }),
  );
  if (!written) throw new Error(`${email} is invited already`);
  return written.token;
}
