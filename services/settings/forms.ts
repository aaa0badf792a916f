/** Forms of values that several settings have. */
import { anAddress, aWholeNumber } from '../process/environment.ts';
import type { Variables } from '../process/variables.ts';

export const aPort = { holds: 'a port number, 1 to 65535', parse: aWholeNumber(1, 65_535) } as const;

export const aDatabase = anAddress('postgres:', 'postgresql:');

/** The name of a variable that holds something: such settings name the variable of a secret, so that the secret is in one place. */
export const nameOfFilled = (name: string, variables: Variables): string | undefined =>
  variables[name]?.trim() ? name : undefined;

/** What the variable holds that a setting names. */
export const secretNamed = (name: string | undefined, variables: Variables): string | undefined =>
  name === undefined ? undefined : variables[name]?.trim();
