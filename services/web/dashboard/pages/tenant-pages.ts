import type { ComponentType } from 'preact';
import { CapabilitiesPage } from './capabilities.tsx';
import { MembersPage } from './members.tsx';
import { SessionPage } from './session/session-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';

export interface TenantPageProps {
  /** What stands in the address in the places of `:names`. */
  params: Record<string, string>;
}

/** Every page of a tenant, by its address below `/t/<tenant>`. */
export const tenantPages: { path: string; page: ComponentType<TenantPageProps> }[] = [
  { path: '', page: SessionsPage },
  { path: '/sessions', page: SessionsPage },
  { path: '/sessions/:session', page: SessionPage },
  { path: '/members', page: MembersPage },
  { path: '/capabilities', page: CapabilitiesPage },
];
