import type { Arrival } from '../../core/channels/arrival.ts';
import type { Queryable } from '../../store/sql.ts';
import { locateTenant } from '../../store/tables/tenants.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Who a room was made for, when its maker wrote so into its metadata: `{"parley": {"tenant", "agent", "language"?, "channel"?}}`. */
export interface RoomPurpose {
  /** Slug or id. */
  tenant: string;
  agent: string;
  language?: string;
  channel: Arrival['channel'];
}

/** Undefined for any other metadata: such rooms are not ours. */
export function readRoomPurpose(metadata: string): RoomPurpose | undefined {
  const { tenant, agent, language, channel } = parleyPart(metadata);
  if (typeof tenant !== 'string' || typeof agent !== 'string') return undefined;
  return {
    tenant,
    agent,
    ...(typeof language === 'string' ? { language } : {}),
    channel: channel === 'widget' || channel === 'api' ? channel : 'phone',
  };
}

function parleyPart(metadata: string): Record<string, unknown> {
  if (!metadata.includes('"parley"')) return {};
  try {
    const { parley } = JSON.parse(metadata) as { parley?: unknown };
    return typeof parley === 'object' && parley !== null ? (parley as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The tenant's id; undefined when there is no such tenant. */
export const tenantOf = (q: Queryable, { tenant }: RoomPurpose): Promise<string | undefined> =>
  uuidPattern.test(tenant) ? Promise.resolve(tenant) : locateTenant(q, tenant);
