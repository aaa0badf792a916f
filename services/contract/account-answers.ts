/** What the account API answers; `AsJson` of answers.ts is how it arrives. */
import type { Role } from './roles.ts';

/** A part of a list, and where the next one begins; null: there is none. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export interface PersonShown {
  id: string;
  email: string;
  name: string;
}

/** The body of a sign-in, a refresh and an accepted invitation. */
export interface SignInShown {
  accessToken: string;
  expiresInSeconds: number;
  person: PersonShown;
}

export interface Me {
  person: PersonShown;
  tenants: { id: string; slug: string; name: string; role: Role }[];
}

/** What lets a person in: a password, and whom identity providers know them as. */
export interface IdentitiesShown {
  hasPassword: boolean;
  /** `signsIn`: the issuer is the one that is configured, and not a former one, which lets nobody in. */
  items: { id: string; issuer: string; since: Date; signsIn: boolean }[];
}

export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  since: Date;
}

export interface Invited {
  id: string;
  email: string;
  role: Role;
  expiresAt: Date;
}

/** As it stands in a list whose objects are changed by If-Match. */
export interface Tagged {
  /** The ETag, without its quotes. */
  etag: string;
}

/** `invited` only for whoever may see it. */
export interface Members extends Page<Member & Tagged> {
  invited?: (Invited & Tagged)[];
}
