import { ofBrowser, storedText } from '../../client/stored.ts';

/** The tenant seen last in this browser, by its slug. */
export const lastTenant = storedText(ofBrowser, 'parley.tenant');
