/** What this deployment can do, field by field; what it can't says how to come by it. */
import type { Ability } from '../../agent-files/definition/speech-needs.ts';
import { providerFacts } from '../../contract/generated/providers.ts';
import type { ProviderFacts } from '../../contract/provider-facts.ts';
import { settings } from '../../settings/settings.ts';
import type { Database } from '../../store/database.ts';
import { type AgentSourceRow, findSource } from '../../store/tables/agent-sources.ts';
import { listHostSpeech } from '../../store/tables/hosts.ts';
import { findTenant, locateTenant } from '../../store/tables/tenants.ts';
import { listTrunks } from '../../store/tables/trunks.ts';
import type { HostsSpeech } from '../hosts/speech.ts';

/** `how` says how one comes by what is not available, or by more. */
export interface Capability {
  available: boolean;
  how?: string;
}

export interface CapabilityFacts {
  hosts: HostsSpeech;
  /** Of the deployment's own tenant; undefined where no worker has read its agents yet. */
  source: Pick<AgentSourceRow, 'writing' | 'how'> | undefined;
  /** Whether that tenant's conversations may be sent to webhooks. */
  sendsWebhooks: boolean;
  /** Whether that tenant has a way to a carrier. */
  hasTrunk: boolean;
  /** Whether an identity provider is configured. */
  openIdConnect: boolean;
  /** Whether people may sign in by a password. */
  passwords: boolean;
  /** Whether a mail server is. */
  mail: boolean;
  /** Where rooms are, for pages that have to allow them: wss://… */
  roomsUrl: string;
}

export const requestsPerMinute = 180;

/** @param deployment the slug of its own tenant, and what only the API is told */
export async function readCapabilities(
  db: Database,
  deployment: { tenant: string } & Pick<CapabilityFacts, 'openIdConnect' | 'passwords' | 'mail' | 'roomsUrl'>,
) {
  const tenant = await locateTenant(db, deployment.tenant);
  const ofTenant = tenant
    ? await db.asTenant(tenant, async (tx) => ({
        ...{ source: await findSource(tx), row: await findTenant(tx, tenant) },
        hasTrunk: (await listTrunks(tx)).length > 0,
      }))
    : undefined;
  return capabilitiesOf({
    hosts: await listHostSpeech(db),
    source: ofTenant?.source,
    sendsWebhooks: ofTenant?.row?.features.webhook ?? false,
    hasTrunk: ofTenant?.hasTrunk ?? false,
    ...deployment,
  });
}

export const capabilitiesOf = ({
  hosts,
  source,
  sendsWebhooks,
  hasTrunk,
  openIdConnect,
  passwords,
  mail,
  roomsUrl,
}: CapabilityFacts) => ({
  rooms: { url: roomsUrl },
  signIn: {
    password: passwords
      ? available
      : missing(`${settings.openIdConnect.settings.passwords.name}, signIn.passwords of the stack, refuses them.`),
    openIdConnect: openIdConnect
      ? available
      : missing(`Name an identity provider: ${settings.openIdConnect.settings.issuer.name}, signIn of the stack.`),
  },
  channels: {
    api: available,
    widget: available,
    phone: telephonyOf(hasTrunk),
  },
  speech: speechOf(hosts),
  providers: Object.fromEntries(
    Object.entries(providerFacts).map(([name, facts]) => [name, providerOf(name, facts, hosts)]),
  ),
  languages: languagesOf(hosts),
  prompts: promptsOf(source),
  webhook: sendsWebhooks ? available : missing('Set features.webhook in the stack configuration.'),
  telephony: telephonyOf(hasTrunk),
  calendars: planned.calendars,
  subscriptions: planned.subscriptions,
  mail: mail
    ? available
    : missing(
        `Name a mail server (${settings.mail.settings.url.name}, mail of the stack); until then hand invitations on by their token.`,
      ),
  limits: { requestsPerMinute },
});

const available: Capability = { available: true };
const missing = (how: string): Capability => ({ available: false, how });

function notPartOfIt(instead?: string): Capability {
  return missing(`Not part of this version${instead === undefined ? '' : `: ${instead}`}.`);
}

/** What there will be: its routes answer `not_configured` with these words. */
export const planned = {
  calendars: notPartOfIt('calendars come later'),
  subscriptions: notPartOfIt('plans and invoices come later'),
} as const;

function telephonyOf(hasTrunk: boolean): Capability {
  return hasTrunk ? available : missing('Add a way to a carrier: POST /api/tenants/…/trunks, or phone of the stack.');
}

function speechOf(hosts: HostsSpeech): Capability {
  return hosts.some(({ takes_spoken, is_there }) => takes_spoken && is_there)
    ? available
    : missing(
        `Start an agent host that takes spoken sessions (${settings.voiceCapacity.name}, capacity.voice of the stack).`,
      );
}

const abilitiesOf = (hosts: HostsSpeech): Set<Ability> => new Set(hosts.flatMap(({ abilities }) => abilities ?? []));

function providerOf(name: string, { key, region, ...facts }: ProviderFacts, hosts: HostsSpeech) {
  const does = [...(facts.model ? ['models'] : []), ...(facts.speech ? ['speech'] : [])];
  const isConfigured = key === undefined || abilitiesOf(hosts).has(`key:${key}`);
  const state = isConfigured ? available : missing(`Set ${key} for the agent hosts (secrets.${key} of the stack).`);
  return {
    ...state,
    does: does.join(', '),
    region,
    ...(name === 'local' ? { speaks: languagesOf(hosts).onThisMachine } : {}),
  };
}

/** Providers speak others, too: those are named by agents, and checked by nobody. */
function languagesOf(hosts: HostsSpeech): { onThisMachine: string[] } {
  const spoken = [...abilitiesOf(hosts)].flatMap((ability) =>
    ability.startsWith('voice:') ? ability.slice('voice:'.length) : [],
  );
  return { onThisMachine: spoken.toSorted() };
}

function promptsOf(source: CapabilityFacts['source']): Capability & { writing: AgentSourceRow['writing'] } {
  if (!source) return { ...missing('Start the worker, and tell it where the agents are.'), writing: 'read_only' };
  const { writing, how } = source;
  return { available: writing !== 'read_only', writing, ...(how === null ? {} : { how }) };
}
