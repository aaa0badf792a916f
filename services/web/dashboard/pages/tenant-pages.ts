import type { ComponentType } from 'preact';
import { AgentsPage } from './agents/agents-page.tsx';
import { ConsolePage } from './agents/console/console-page.tsx';
import { CredentialsPage } from './agents/credentials-page.tsx';
import { EditorPage } from './agents/editor/editor-page.tsx';
import { PromptPage } from './agents/prompt-page.tsx';
import { VersionPage } from './agents/version-page.tsx';
import { VersionsPage } from './agents/versions-page.tsx';
import { WidgetPage } from './agents/widget/widget-page.tsx';
import { AuditPage } from './audit.tsx';
import { CapabilitiesPage } from './capabilities.tsx';
import { LivePage } from './live/live-page.tsx';
import { MembersPage } from './members.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { ScenariosPage } from './scenarios/scenarios-page.tsx';
import { ServiceHealthPage } from './service-health.tsx';
import { SessionPage } from './session/session-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { CallPage } from './telephone/call-page.tsx';
import { CallsPage } from './telephone/calls-page.tsx';
import { NumberPage } from './telephone/number-page.tsx';
import { NumbersPage } from './telephone/numbers-page.tsx';
import { OptOutsPage } from './telephone/opt-outs-page.tsx';
import { TrunkPage } from './telephone/trunk-page.tsx';
import { TrunksPage } from './telephone/trunks-page.tsx';
import type { TenantPageProps } from './tenant-page-props.ts';
import { DeliveryPage } from './webhook/delivery-page.tsx';
import { SettingsPage } from './webhook/settings-page.tsx';
import { WebhookPage } from './webhook/webhook-page.tsx';

/** Every page of a tenant, by its address below `/t/<tenant>`. */
export const tenantPages: { path: string; page: ComponentType<TenantPageProps> }[] = [
  { path: '', page: OverviewPage },
  { path: '/live', page: LivePage },
  { path: '/sessions', page: SessionsPage },
  { path: '/sessions/:session', page: SessionPage },
  { path: '/agents', page: AgentsPage },
  { path: '/agents/:agent', page: PromptPage },
  { path: '/agents/:agent/edit', page: EditorPage },
  { path: '/agents/:agent/test', page: ConsolePage },
  { path: '/agents/:agent/versions', page: VersionsPage },
  { path: '/agents/:agent/versions/:version', page: VersionPage },
  { path: '/agents/:agent/widget', page: WidgetPage },
  { path: '/agents/:agent/credentials', page: CredentialsPage },
  { path: '/scenarios', page: ScenariosPage },
  { path: '/numbers', page: NumbersPage },
  { path: '/numbers/:number', page: NumberPage },
  { path: '/calls', page: CallsPage },
  { path: '/calls/:call', page: CallPage },
  { path: '/trunks', page: TrunksPage },
  { path: '/trunks/:trunk', page: TrunkPage },
  { path: '/opt-outs', page: OptOutsPage },
  { path: '/webhook', page: WebhookPage },
  { path: '/webhook/agents/:agent', page: SettingsPage },
  { path: '/webhook/deliveries/:delivery', page: DeliveryPage },
  { path: '/audit', page: AuditPage },
  { path: '/members', page: MembersPage },
  { path: '/capabilities', page: CapabilitiesPage },
  { path: '/health', page: ServiceHealthPage },
];
