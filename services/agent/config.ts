import { anAddress, aText, aWholeNumber, oneOf, readEnvironment } from '../core/environment.ts';
import { type LogLevel, logLevels } from '../core/logger.ts';
import type { RoomServer } from '../core/rooms/rooms.ts';

export interface AgentConfig {
  environment: 'development' | 'production';
  logLevel: LogLevel;
  databaseUrl: string;
  roomServer: RoomServer;
  /** Sessions that this process carries at most. */
  capacity: number;
  /** Rooms that are kept ready for sessions to come. */
  warmRooms: number;
  bind: string;
  internalPort: number;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): AgentConfig {
  const env = readEnvironment(environment);
  const url = env.required(
    'LIVEKIT_URL',
    'the address of the room server, ws://… or wss://…',
    anAddress('ws:', 'wss:'),
  );
  const config: AgentConfig = {
    environment: env.optional(
      'PARLEY_ENVIRONMENT',
      'production',
      '"development" or "production"',
      oneOf('development', 'production'),
    ),
    logLevel: env.optional('PARLEY_LOG_LEVEL', 'info', `one of ${logLevels.join(', ')}`, oneOf(...logLevels)),
    databaseUrl: env.required(
      'PARLEY_DATABASE_URL',
      'postgres://role:password@host:port/database',
      anAddress('postgres:', 'postgresql:'),
    ),
    roomServer: {
      url,
      publicUrl: url,
      apiKey: env.required('LIVEKIT_API_KEY', "the room server's API key", aText),
      apiSecret: env.required('LIVEKIT_API_SECRET', "the room server's API secret", aText),
    },
    capacity: env.optional('PARLEY_AGENT_CAPACITY', 200, 'a number of sessions, 1 to 5000', aWholeNumber(1, 5_000)),
    warmRooms: env.optional('PARLEY_WARM_ROOMS', 4, 'a number of rooms, 0 to 500', aWholeNumber(0, 500)),
    bind: env.optional('PARLEY_BIND', '127.0.0.1', 'an address to listen on, such as 0.0.0.0', aText),
    internalPort: env.optional('PARLEY_INTERNAL_PORT', 7802, 'a port number', aWholeNumber(1, 65_535)),
  };
  env.finish();
  return config;
}
