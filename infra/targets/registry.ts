import type { Tenant } from '../tenant.ts';
import { aws } from './aws/target.ts';
import { kubernetes } from './kubernetes/target.ts';
import type { Target } from './target.ts';

/** By the name that a configuration has for it. */
export const targets: Readonly<Record<Tenant['target'], Target>> = { kubernetes, aws };
