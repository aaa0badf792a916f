/** What the account API answers about telephones, as it is made. */

/** Nothing follows `ended` and what comes after it here. */
export const callStates = [
  'queued',
  'dialing',
  'ringing',
  'answered',
  'ended',
  'busy',
  'declined',
  'no_answer',
  'invalid_number',
  'unreachable',
  'canceled',
  'unknown',
  'refused',
] as const;
export type CallState = (typeof callStates)[number];

export type CallDirection = 'inbound' | 'outbound';
export type HungUpBy = 'person' | 'agent' | 'carrier' | 'limit';
/** The tenant's stack is the only one to change what it has declared. */
export type ManagedBy = 'stack' | 'person';

export type Day = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/** Part of a day, by the clock where it matters. `to` is past the last minute; 24:00 is the end of the day. */
export interface Span {
  days: Day[];
  from: string;
  to: string;
}

export interface OpeningHours {
  /** IANA name. */
  zone: string;
  open: Span[];
}

export interface TrunkShown {
  id: string;
  name: string;
  address: string;
  transport: 'udp' | 'tcp' | 'tls';
  username: string | null;
  /** The name of the variable that has the password. */
  password: { env: string } | null;
  allowedAddresses: string[];
  allowedPrefixes: string[];
  maxDialsPerMinute: number;
  maxCallsPerDay: number;
  maxMinutesPerDay: number;
  managedBy: ManagedBy;
}

export interface NumberShown {
  number: string;
  /** The id of its trunk. */
  trunk: string;
  agent: string | null;
  language: string | null;
  hours: OpeningHours | 'always';
  whenRefused: 'busy' | 'sentence';
  managedBy: ManagedBy;
}

export interface CallShown {
  id: string;
  direction: CallDirection;
  from: string;
  to: string;
  agent: string;
  state: CallState;
  /** Null until there is one. */
  sessionId: string | null;
  /** A code, where nobody dialled, or nobody answered of us. */
  refusedBecause: string | null;
  sipCode: number | null;
  askedAt: Date;
  answeredAt: Date | null;
  endedAt: Date | null;
  hangupBy: HungUpBy | null;
}

/** Of a conversation by telephone, as the webhook has it. */
export interface CallOfConversation {
  direction: CallDirection;
  from: string;
  to: string;
  answeredAt: string | null;
  hangupBy: HungUpBy | null;
  sipCode: number | null;
}

export interface OptOutShown {
  number: string;
  since: Date;
  why: string;
}
