import type { Tenant } from '../tenant.ts';
import type { Names } from './names.ts';
import type { RoomServerPlan } from './rooms.ts';

export interface Addresses {
  /** REST, widget and dashboard. */
  publicUrl: string;
  /** Signalling, for customers and for our own processes. */
  publicRoomsUrl: string;
  roomsUrl: string;
  roomEventsUrl: string;
  scalingUrl: string;
  /** Where the SIP bridge enters rooms (docs/decisions/0032). */
  bridgeDoorUrl: string;
  /** Where a client behind a firewall reaches media by TLS on 443; undefined where no balancer offers it. */
  turnHost: string | undefined;
}

/** Ports inside our pods; processes have their addresses to themselves there. */
export const ports = {
  api: 7_800,
  apiInternal: 7_801,
  agentInternal: 7_802,
  workerInternal: 7_803,
  database: 5_432,
  cache: 6_379,
};

export const planAddresses = (tenant: Tenant, names: Names, rooms: RoomServerPlan): Addresses => {
  const { domain } = tenant;
  const apiHost = `api-internal.${names.namespace}.svc.cluster.local:${ports.apiInternal}`;
  const apiInternal = `http://${apiHost}`;
  return {
    publicUrl: `https://${domain}`,
    publicRoomsUrl: `wss://${domain}`,
    roomsUrl: `ws://rooms.${names.roomsNamespace}.svc.cluster.local:${rooms.ports.signalling}`,
    roomEventsUrl: `${apiInternal}/room-events`,
    scalingUrl: `${apiInternal}/scaling`,
    bridgeDoorUrl: `ws://${apiHost}/bridge`,
    turnHost: rooms.ports.turn === undefined ? undefined : `turn.${domain}`,
  };
};
