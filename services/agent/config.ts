import { type ProcessConfig, readMasterKeys, readProcessConfig } from '../core/process-config.ts';
import { aWholeNumber, readEnvironment } from '../process/environment.ts';

export interface AgentConfig extends ProcessConfig {
  /** Sessions that this process carries at most. */
  capacity: number;
  /** Spoken ones among them, where this host can hear and speak. */
  voiceCapacity: number;
  /** Rooms that are kept ready for sessions to come; more after a burst. */
  warmRooms: number;
  /** How long each of them is kept before another takes its place: a room server that drains waits so long for them. */
  warmRoomSeconds: number;
  /** Memory (resident) at which this process looks for a moment to leave and be started anew; 0 for never. */
  retireAtMb: number;
  /** Open the agents' secrets, which sign what their tools send. */
  masterKeys: string;
}

/**
 * The least of two rounds in which no turn was missed and answers came at most 0.1 s later than those of one session, on one core
 * (docs/performance.md, "Voice: sessions on one core"; the other round held 20). Hosts with more than a core are told so.
 */
const voiceSessionsOfOneCore = 12;

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): AgentConfig {
  const env = readEnvironment(environment);
  const config: AgentConfig = {
    ...readProcessConfig(env, { internalPort: 7802 }),
    capacity: env.optional('PARLEY_AGENT_CAPACITY', 200, 'a number of sessions, 1 to 5000', aWholeNumber(1, 5_000)),
    voiceCapacity: env.optional(
      'PARLEY_VOICE_CAPACITY',
      voiceSessionsOfOneCore,
      'a number of spoken sessions, 0 to 1000',
      aWholeNumber(0, 1_000),
    ),
    warmRooms: env.optional('PARLEY_WARM_ROOMS', 4, 'a number of rooms, 0 to 500', aWholeNumber(0, 500)),
    warmRoomSeconds: env.optional(
      'PARLEY_WARM_ROOM_SECONDS',
      300,
      'a number of seconds, 1 to 3600',
      aWholeNumber(1, 3_600),
    ),
    retireAtMb: env.optional(
      'PARLEY_RETIRE_AT_MB',
      0,
      'a number of megabytes, 0 for never',
      aWholeNumber(0, 1_000_000),
    ),
    masterKeys: readMasterKeys(env),
  };
  env.finish();
  return config;
}
