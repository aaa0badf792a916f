/** What the account API tells of agents, their credentials and webhooks, and of what people did. */
import type { Page } from './account-answers.ts';
import type { AuditAction } from './audit-actions.ts';
import type { InteractionMode } from './session.ts';

/** Where in the agents' files something is wrong; line and column from 1. */
export interface RefusedPlace {
  file: string;
  line: number;
  column: number;
  message: string;
}

/** What the source of agents offered, and what came of it. */
export interface RevisionItem {
  id: string;
  state: 'active' | 'refused';
  isLive: boolean;
  /** Repository, branch and path, or `folder`. */
  source: string;
  commit: string | null;
  author: string | null;
  subject: string | null;
  at: string;
  reasons: RefusedPlace[];
  reasonsLeftOut: number;
  warnings: RefusedPlace[];
  warningsLeftOut: number;
}

export type AgentState = 'live' | 'disabled' | 'deleted';

/** A cap of which four fifths are used, or all. */
export interface CapNear {
  of: 'agent' | 'tenant';
  cap: 'minutesPerDay' | 'minutesPerMonth' | 'tokensPerDay';
  used: number;
  limit: number;
}

export interface AgentItem {
  agent: string;
  name: string;
  state: AgentState;
  version: string;
  commit: string | null;
  activatedAt: Date;
  prompt: string;
  voiceAgentKind: string;
  interactionMode: InteractionMode;
  defaultLanguage: string;
  languages: {
    code: string;
    name: string;
    /** It can be talked to in this language, as the agent permits it and the installation can. */
    speaks: boolean;
    voices: { id: string; name: string; default: boolean }[];
  }[];
  tools: { name: string; description: string; kind: 'http' | 'builtin' | 'client' }[];
  model: { provider: string; name: string | null };
  /** Of prompt, knowledge and tools, which every turn sends. */
  instructionTokens: number;
  hasWidget: boolean;
  hasWebhook: boolean;
  /** A sentence for each key that its providers need and that no host has. */
  missingKeys: string[];
  /** What it asks people for before a conversation; `missing` is the variable that the API lacks to verify it, so that all pages are refused. */
  challenge: { provider: 'turnstile' | 'hcaptcha'; missing: string | null } | null;
  /** Caps, its own and its tenant's, that are nearly used up. */
  capsNear: CapNear[];
  /** Why what stands in its own files is not live. */
  refused: RefusedPlace[];
}

/** Where agents' files are, and what people may have written there: a file, proposals, commits too, or nothing; `how` says how to have more. */
export interface SourceShown {
  source: string;
  commit: string | null;
  writing: 'file' | 'proposal' | 'direct' | 'read_only';
  how: string | null;
  seenAt: Date;
}

/** Files that a worker could not read when it looked last, why, and since when; what is live stays live. */
export interface UnreadableSource {
  source: string;
  reason: string;
  since: Date;
}

export interface AgentsPage extends Page<AgentItem> {
  /** Null where no worker has read them yet. */
  source: SourceShown | null;
  newestRevision: RevisionItem | null;
  /** Null while the source can be read. */
  unreadable: UnreadableSource | null;
}

export interface AgentShown extends AgentItem {
  /** As it stands at the head of the source, live or not; a prompt that is null can't be read. */
  file: { id: string; prompt: string | null } | null;
  source: SourceShown | null;
  /** What its model is told in this language. */
  instructions: { language: string; text: string };
}

/** What a prompt would become that nobody has written yet. */
export interface PromptPreview {
  instructions: { language: string; text: string };
  /** Of prompt, knowledge and tools, which every turn sends: with this prompt, and with the one that is live. */
  instructionTokens: number;
  liveTokens: number;
  /** Why it would be refused. Policies and other files are judged by the worker, before it writes. */
  faults: { message: string }[];
  /** What it changes of the agent's file as it stands; empty where nothing, or where the file can't be read. */
  lines: NonNullable<VersionChange['lines']>;
}

export interface VersionItem {
  version: string;
  commit: string | null;
  createdAt: Date;
  /** Null: it was replaced. */
  state: AgentState | null;
  /** `prompt, tools`; empty for the first. */
  changed: string;
}

export interface VersionChange {
  subject: string;
  text: string;
  lines?: { kind: 'same' | 'removed' | 'added' | 'skipped'; text: string }[];
}

export interface VersionShown extends Omit<VersionItem, 'changed'> {
  prompt: string;
  against: string | null;
  changes: VersionChange[];
}

/** A change that somebody asked for, of an agent's file. */
export interface ChangeShown {
  id: string;
  agent: string;
  kind: 'prompt' | 'webhook' | 'scenario';
  wanted:
    | { prompt: string }
    | { url: string | { env: string } | null }
    | { session: string; name?: string | undefined; isMasked: boolean };
  message: string;
  person: { id: string; name: string };
  state: 'pending' | 'written' | 'refused';
  /** Why it was refused. */
  problem: { code: string; message: string; details: { path: string; message: string }[] } | null;
  /** Null for a folder. A proposal stands on a branch of its own, with the link under which it is opened. */
  branch: string | null;
  commit: string | null;
  link: string | null;
  /** The branch takes no changes: it became a proposal although a commit was asked for. */
  fellBack: boolean;
  /** Of the file as it was written. */
  fileId: string | null;
  /** What became of it in what is live: a proposal is pending until it is merged. */
  activation: 'pending' | 'live' | 'refused' | null;
  reasons: RefusedPlace[];
  createdAt: Date;
  settledAt: Date | null;
}

/** The scenarios beside an agent, and what came of them. */
export interface ScenariosShown {
  agent: string;
  /** That is live; null where none is. */
  version: string | null;
  /** Somebody asked for a run, and it is not over. */
  isRunning: boolean;
  /** Why the last run that was asked for has no verdict. */
  problem: string | null;
  scenarios: {
    name: string;
    language: string | null;
    /** What the person says, turn by turn. */
    said: string[];
    /** It calls real endpoints, so no worker runs it. */
    live: boolean;
    /** With the version that is live, the newest first; one for each model. */
    results: {
      model: string;
      outcome: 'passed' | 'failed' | 'skipped';
      runs: number;
      passes: number;
      failures: { turn: number | null; said: string | null; expected: string; got: string }[];
      runAt: Date;
    }[];
  }[];
  /** The last versions that passed all of them, each on a model; the newest first. */
  passes: {
    version: string;
    model: string;
    passedAt: Date;
    /** It passed these scenarios, not earlier ones. */
    isOfThese: boolean;
  }[];
}

export interface KeyShown {
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Null: the current one. Of an earlier one, when its grace is over. */
  expiresAt: Date | null;
}

export interface CredentialsShown {
  agent: string;
  /** For `editor` and above. */
  apiKey?: string;
  keys: KeyShown[];
  secrets: Omit<KeyShown, 'lastUsedAt'>[];
}

export interface WebhookItem {
  agent: string;
  /** An address, or the variable that holds one that is a secret; null: nothing is sent. */
  url: string | { env: string } | null;
  state: 'none' | 'feature_off' | 'disabled' | 'on';
  /** What to do about a state that is not `on`. */
  how: string | null;
  disabledAt: Date | null;
}

/** The same of one agent, with what its file says at the head of the source, live or not. */
export interface WebhookShown extends WebhookItem {
  /** `url` is undefined where the file can't be read. */
  file: { id: string; url: WebhookItem['url'] | undefined } | null;
  source: Pick<SourceShown, 'writing' | 'how'> | null;
}

/** A part of the installation as it is now. */
export interface HealthPart {
  part: 'database' | 'rooms' | 'hosts' | 'worker';
  /** `full`: its disk has no room left. `unknown`: what tells of it does not answer. */
  state: 'ok' | 'down' | 'full' | 'unknown';
  /** What it means that it is down or full, and what to do. */
  how: string | null;
  /** Null for whoever does not run the installation. */
  figures: Record<string, number | string> | null;
}

/** Of which release processes run: during a rollout there are two of a kind. */
export interface RunningRelease {
  process: 'api' | 'worker' | 'agent';
  /** A version, a commit or an image's digest, as whoever runs it has said. */
  release: string;
  running: number;
}

export interface HealthShown {
  status: 'ok' | 'degraded';
  checkedAt: Date;
  parts: HealthPart[];
  /** Null for whoever does not run the installation, and while the database does not answer. */
  releases: RunningRelease[] | null;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'disabled';

export interface DeliveryFigures {
  id: string;
  agent: string;
  sessionId: string | null;
  event: string;
  url: string;
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface DeliveryItem extends DeliveryFigures {
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
}

export interface DeliveryAttempt {
  attempt: number;
  at: Date;
  durationMs: number;
  requestHeaders: Record<string, string> | null;
  statusCode: number | null;
  error: string | null;
  /** The beginning of what the receiver answered. */
  answer: string | null;
}

export interface DeliveryShown extends DeliveryFigures {
  /** As it is sent, byte for byte. */
  body: string;
  attempts: DeliveryAttempt[];
}

export interface AuditItem {
  id: string;
  at: Date;
  action: AuditAction;
  target: string | null;
  details: unknown;
  requestId: string | null;
  /** As of now; whoever is gone has their id only. */
  person: { id: string; email: string | null; name: string | null } | null;
}
