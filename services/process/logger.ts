import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from './log-levels.ts';
import { standardOutput } from './standard-output.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Which process is speaking: `api`, `agent`, `worker`. */
  service: string;
  level: LogLevel;
  /** Shows what is under `pii`: what people said or typed. Off unless an operator asked for it. */
  showPersonal?: boolean;
  /** Where lines go; standard output unless a test wants to read them. */
  to?: DestinationStream;
}

/** One JSON object a line. Texts are constants, facts are fields, and what a person said goes under `pii` and nowhere else. */
export function makeLogger({ service, level, showPersonal = false, to }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      ...(showPersonal ? {} : { redact: { paths: ['pii', '*.pii'], censor: '[redacted]' } }),
    },
    to ?? standardOutput(),
  );
}

/** Chosen fields only: PostgreSQL's errors carry whole rows in their `detail`, and rows carry what people said. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  return {
    type: error.name,
    ...('code' in error ? { code: error.code } : {}),
    message: error.message,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
