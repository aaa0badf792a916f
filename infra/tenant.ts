import type { Foundation, TenantConfiguration } from '../services/contract/generated/tenant.ts';

/** What a tenant declares, filled in. */
export interface Tenant extends Omit<TenantConfiguration, 'name' | 'foundation'> {
  /** The stack's name. */
  slug: string;
  name: string;
  foundation: Exclude<Foundation, string> | 'create';
}
