import type { Telephone } from './generated/tenant.ts';

/** What a stack declares of its tenant's telephone, for whoever writes it to the database. */
export type DeclaredTelephone = Pick<Telephone, 'trunks' | 'numbers'>;
