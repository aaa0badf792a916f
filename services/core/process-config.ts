import { anAddress, aText, aWholeNumber, type EnvironmentReader, oneOf } from '../process/environment.ts';
import { type LogLevel, logLevels } from '../process/logger.ts';
import { parseMasterKeys } from './credentials/vault.ts';
import type { RoomServer } from './rooms/rooms.ts';

/** What every process of ours is told in the same variables. */
export interface ProcessConfig {
  environment: 'development' | 'production';
  logLevel: LogLevel;
  databaseUrl: string;
  roomServer: RoomServer;
  /** Address that its ports listen on. */
  bind: string;
  /** Probes and metrics; never public. */
  internalPort: number;
}

export const aPort = aWholeNumber(1, 65_535);

/** Notes its faults with the reader; the caller finishes it. */
export function readProcessConfig(env: EnvironmentReader, { internalPort }: { internalPort: number }): ProcessConfig {
  return {
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
    roomServer: readRoomServer(env),
    bind: env.optional('PARLEY_BIND', '127.0.0.1', 'an address to listen on, such as 0.0.0.0', aText),
    internalPort: env.optional('PARLEY_INTERNAL_PORT', internalPort, 'a port number', aPort),
  };
}

function readRoomServer(env: EnvironmentReader): RoomServer {
  const aRoomAddress = anAddress('ws:', 'wss:');
  const url = env.required('LIVEKIT_URL', 'the address of the room server, ws://… or wss://…', aRoomAddress);
  return {
    url,
    publicUrl: env.optional(
      'LIVEKIT_PUBLIC_URL',
      url,
      'the address customers connect to, ws://… or wss://…',
      aRoomAddress,
    ),
    apiKey: env.required('LIVEKIT_API_KEY', "the room server's API key", aText),
    apiSecret: env.required('LIVEKIT_API_SECRET', "the room server's API secret", aText),
  };
}

/** Where secrets are sealed and opened. */
export const readMasterKeys = (env: EnvironmentReader): string =>
  env.required('PARLEY_MASTER_KEYS', '"k1:<base64 of 32 bytes>", several separated by commas', (text) =>
    parseMasterKeys(text) ? text : undefined,
  );
