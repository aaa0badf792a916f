import { type SIPDispatchRuleInfo, type SIPInboundTrunkInfo, SipClient } from 'livekit-server-sdk';
import type { RoomServer } from '../rooms/rooms.ts';
import { type Change, headersToAttributes, type KnownRule, type KnownTrunk, type WantedTrunk } from './bridge-state.ts';
import { inboundRoomPrefix } from './leg.ts';

const requestTimeoutSeconds = 3;
/** A call that no agent has taken by then gets 486. */
const ringingSeconds = 30;
/** Trunks of ours are named so, with their id; others are left alone. */
const namePrefix = 'parley ';

/** What the SIP bridge is told, and tells, by way of the room server, which keeps it in Redis. */
export interface Bridge {
  known(): Promise<{ trunks: KnownTrunk[]; rules: KnownRule[] }>;
  change(change: Change): Promise<void>;
}

/** Nothing is contacted before the first call. */
export function openBridge({ url, apiKey, apiSecret }: RoomServer): Bridge {
  const client = new SipClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, {
    requestTimeout: requestTimeoutSeconds,
  });
  /** As they were listed last: what is replaced keeps what we know nothing of. */
  let infos: SIPInboundTrunkInfo[] = [];
  return {
    known: async () => {
      const [trunks, rules] = await Promise.all([client.listSipInboundTrunk(), client.listSipDispatchRule()]);
      infos = trunks.filter(({ name }) => name.startsWith(namePrefix));
      const ids = new Set(infos.map(({ sipTrunkId }) => sipTrunkId));
      return {
        trunks: infos.map(knownTrunk),
        rules: rules
          .filter(({ name, trunkIds }) => name === namePrefix.trim() || trunkIds.some((id) => ids.has(id)))
          .map(knownRule),
      };
    },
    change: async (change) => {
      switch (change.kind) {
        case 'add_trunk':
          await client.createSipInboundTrunk(namePrefix + change.trunk.id, [...change.trunk.numbers], {
            ...settable(change.trunk),
            headersToAttributes,
            ringingTimeout: ringingSeconds,
          });
          return;
        case 'replace_trunk': {
          const info = infos.find(({ sipTrunkId }) => sipTrunkId === change.sipTrunkId)?.clone();
          if (!info) return;
          Object.assign(info, { numbers: [...change.trunk.numbers], ...settable(change.trunk), headersToAttributes });
          await client.updateSipInboundTrunk(info.sipTrunkId, info);
          return;
        }
        case 'remove_trunk':
          await client.deleteSipTrunk(change.sipTrunkId);
          return;
        case 'add_rule':
          await client.createSipDispatchRule(
            { type: 'callee', roomPrefix: inboundRoomPrefix, randomize: true },
            { name: namePrefix.trim(), trunkIds: [change.sipTrunkId], hidePhoneNumber: true },
          );
          return;
        case 'remove_rule':
          await client.deleteSipDispatchRule(change.sipDispatchRuleId);
          return;
        default:
          change satisfies never;
      }
    },
  };
}

const settable = ({ allowedAddresses, authUsername, authPassword }: WantedTrunk) => ({
  allowedAddresses: [...allowedAddresses],
  authUsername,
  authPassword,
});

function knownTrunk(info: SIPInboundTrunkInfo): KnownTrunk {
  const { name, numbers, allowedAddresses, authUsername, authPassword, sipTrunkId } = info;
  return {
    ...{ id: name.slice(namePrefix.length), numbers, allowedAddresses, authUsername, authPassword, sipTrunkId },
    headersToAttributes: info.headersToAttributes,
  };
}

function knownRule({ sipDispatchRuleId, trunkIds, hidePhoneNumber, rule }: SIPDispatchRuleInfo): KnownRule {
  const callee = rule?.rule.case === 'dispatchRuleCallee' ? rule.rule.value : undefined;
  return {
    ...{ sipDispatchRuleId, trunkIds, hidesNumber: hidePhoneNumber },
    isRandom: callee?.randomize ?? false,
    roomPrefix: callee?.roomPrefix ?? '',
  };
}
