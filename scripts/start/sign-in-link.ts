import { developerToken } from '../../services/core/account/developer.ts';
import { readPeopleKeys } from '../../services/core/account/people-keys.ts';
import { openDatabase } from '../../services/store/database.ts';
import { peopleDatabaseUrl } from '../../services/store/people-database.ts';

export interface LinkTarget {
  /** As the services see the database. */
  databaseUrl: string;
  /** As PARLEY_PEOPLE_KEYS holds them. */
  peopleKeys: string;
  publicUrl: string;
  /** The tenant's id. */
  tenant: string;
}

/** Signs whoever opens it in as an owner of the tenant: on this machine only, once, within ten minutes. Browsers send what is behind the # to nobody. */
export async function signInLink({ databaseUrl, peopleKeys, publicUrl, tenant }: LinkTarget): Promise<string> {
  const url = peopleDatabaseUrl(databaseUrl, readPeopleKeys(peopleKeys).databasePassword);
  const people = openDatabase(url, { applicationName: 'parley-sign-in-link', maxConnections: 1 });
  try {
    return `${publicUrl}/sign-in#${await developerToken(people, tenant)}`;
  } finally {
    await people.close();
  }
}
