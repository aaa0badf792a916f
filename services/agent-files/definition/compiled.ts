/**
 * What an agent's files mean once they are compiled: every default filled in, every duration in milliseconds, every
 * referenced file read. This is what is hashed, stored as an immutable version and pinned by a session.
 */

import type {
  Challenge,
  ModelProvider as DeclaredModel,
  ModelOptions,
  Phone,
  RealtimeProvider,
  ReasoningEffort,
  SpeechProvider,
} from '../../contract/generated/agent.ts';
import type { InteractionMode, Outcome } from '../../contract/session.ts';
import type { WidgetSettings } from '../../contract/widget.ts';
import type { BuiltinTool } from '../builtin-tools/registry.ts';

export type { Challenge, SpeechProvider } from '../../contract/generated/agent.ts';

/** `{env: NAME}` in YAML: the value is read from the environment where it is used and is never stored. */
export interface SecretReference {
  env: string;
}

export interface CompiledVoice {
  id: string;
  name: string;
  gender?: string;
  default: boolean;
  /** The provider's own name of the voice; speech providers read it. */
  provider?: string;
  model?: string;
}

export interface CompiledLanguage {
  code: string;
  name: string;
  greeting?: string;
  voices: CompiledVoice[];
  /** What recognition on a host listens for; absent: what it reads from the script. */
  phrases?: string[];
  /** Words that voices say wrong, as they are spelt for them. Only where there are some. */
  pronunciations?: Record<string, string>;
  /** Lines the service says by itself, in this language. */
  lines: ServiceLines;
}

/** What the person reads when it is not the model that speaks. Every language has all of them, by default. */
export interface ServiceLines {
  modelUnavailable: string;
  tooManyMessages: string;
  limitReached: string;
  /** Absent: the built-in one. */
  voiceUnavailable?: string;
  /** Absent: the built-in one. */
  sayAgain?: string;
}

export type ModelProvider = Exclude<DeclaredModel, 'auto'>;

export interface CompiledModel {
  /** `auto` is openai when its key (or a baseUrl) is there when the session starts, else scripted. */
  provider: ModelProvider | 'auto';
  name?: string;
  baseUrl?: string;
  apiKey?: SecretReference;
  temperature?: number;
  maxOutputTokens: number;
  reasoningEffort?: ReasoningEffort;
  /** Further fields of the request, by the provider's names. */
  options?: ModelOptions;
  /** To the first word, and from one to the next. */
  timeoutMs: number;
  /** The same in a spoken session; absent: `timeoutMs`, as the author has set it. */
  spokenTimeoutMs?: number;
}

/** One rule of the scripted model: the first whose conditions hold decides what the agent says or which tool it calls. */
export interface ScriptRule {
  /** Regular expressions (case-insensitive, Unicode), any of which matches the person's text; named groups are remembered as slots. */
  when: string[];
  language?: string;
  /** The rule holds only if the agent's previous turn was by the rule of this name. */
  after?: string;
  name?: string;
  /** Slots that must be known, with the question that asks for each; the rule stays open until they are. */
  needs: ScriptSlot[];
  call?: { tool: string; arguments: Record<string, unknown> };
  /** By language code, `*` for any. `{{slot}}` and `{{result.path}}` are filled in. */
  say: Record<string, string>;
  /** Said when the tool failed; by language code. */
  failed: Record<string, string>;
  /** The conversation is over once this was said. */
  end: boolean;
  /** For the rules' summary and the webhook. */
  outcome?: Outcome;
}

export interface ScriptSlot {
  name: string;
  /** Regular expressions with a group of the slot's name (or one unnamed group) that read it from an answer. */
  pattern: string[];
  ask: Record<string, string>;
}

export interface CompiledScript {
  rules: ScriptRule[];
  fallback: Record<string, string>;
}

export interface HttpToolCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, or `{env, path}`: the base from the environment. `{{argument}}` placeholders are URL-escaped when filled. */
  url: string | { env: string; path: string };
  headers: Record<string, string | SecretReference>;
  maxResponseBytes: number;
}

export interface CompiledTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>;
  timeoutMs: number;
  /** May be run again when its outcome is unknown. */
  idempotent: boolean;
  /** Ended by who speaks over the agent; otherwise it goes on, and they are answered after it. */
  interruptible?: boolean;
  http?: HttpToolCall;
  builtin?: BuiltinTool;
  client?: boolean;
  /** Typed by the person on their telephone, and handed to whoever answers the tool. */
  keypad?: CompiledKeypad;
}

export interface CompiledKeypad {
  parameter: string;
  digits: number;
  least: number;
  end: '#' | '*' | 'none';
  timeoutMs: number;
  /** By language code, `*` for any. */
  say?: Record<string, string>;
}

export interface CompiledLimits {
  joinTimeoutMs: number;
  reconnectGraceMs: number;
  idleTimeoutMs: number;
  maxDurationMs: number;
  turns: number;
  tokens: number;
  textLength: number;
  textsWaiting: number;
  textsPerMinute: number;
  toolCallsPerTurn: number;
  equalToolCalls: number;
}

export interface CompiledRecognition {
  provider: SpeechProvider;
  /** Absent: in all. */
  languages?: string[];
  model?: string;
  baseUrl?: string;
  apiKey?: SecretReference;
  keywords: string[];
  /** Of `local`. Absent: the best that the machine has. */
  engine?: 'dictation' | 'grammar';
}

export interface CompiledSynthesis {
  provider: SpeechProvider;
  /** Absent: in all. */
  languages?: string[];
  model?: string;
  baseUrl?: string;
  apiKey?: SecretReference;
  speed: number;
}

/** Spoken conversations. Empty lists: whatever the deployment offers. */
export interface CompiledSpeech {
  recognition: CompiledRecognition[];
  synthesis: CompiledSynthesis[];
  interruption: { enabled: boolean; minDurationMs: number; minWords: number };
  endpointing: { minSilenceMs: number; maxDelayMs: number };
  /** Only where it is switched off. */
  preemptiveGeneration?: false;
  /** `say` by language code, `*` for any. */
  idlePrompt?: { afterMs: number; times: number; say: Record<string, string> };
  filler?: CompiledFiller;
}

/** What whoever waits hears or reads; `say` by language code, `*` for any. */
export interface CompiledFiller {
  afterMs: number;
  say: Record<string, string>;
}

/** The speech-to-speech model of `voiceAgentKind: realtime`. */
export interface CompiledRealtime {
  provider: RealtimeProvider;
  name?: string;
  baseUrl?: string;
  apiKey?: SecretReference;
  temperature?: number;
  turnDetection: 'server_vad' | 'semantic_vad';
}

/** What did not exist yet when some agents were stored, whose fields have no question mark. */
type LaterField = 'mode' | 'theme' | 'open';

/** How the website widget behaves and looks. */
export type StoredWidget = Omit<WidgetSettings, LaterField> & Partial<Pick<WidgetSettings, LaterField>>;

/** Read when it matters, never pinned by a session: an operator's change holds at once. */
export interface AgentSettings {
  /** Absent: any site. Empty: none. */
  allowedOrigins?: string[];
  webhook?: { url: string | SecretReference };
  /** Absent: it may call nobody. To whom it puts callers through is the version's own. */
  phone?: Omit<Phone, 'transfers'>;
  widget?: StoredWidget;
  sessions: {
    systemPrompt: 'server' | 'signed' | 'never';
    requireSignature: boolean;
    camera: boolean;
    microphone: boolean;
    challenge?: Challenge;
  };
  caps: {
    concurrentSessions: number;
    minutesPerMonth?: number;
    tokensPerDay: number;
    unjoinedSessions: number;
    requestsPerMinute: number;
    /** These are read by the database (functions/); absent in what was stored before they existed: no cap. */
    minutesPerDay?: number;
    toolCallsPerDay?: number;
    /** Per cent. */
    fleetShare?: number;
    visitor?: VisitorCaps;
    unsigned?: VisitorCaps;
  };
}

/** Of each visitor of a page, or of all unsigned requests together that come from none. */
export interface VisitorCaps {
  sessions: number;
  spokenSessions: number;
  minutesPerDay: number;
  toolCallsPerDay: number;
}

export interface CompiledTransfer {
  number: string;
  /** By language code, `*` for any; absent: the built-in line. */
  say?: Record<string, string>;
}

export interface CompiledAgent {
  schemaVersion: 1;
  /** The file's name without `.yaml`; the id. */
  agent: string;
  name: string;
  voiceAgentKind: 'pipeline' | 'realtime';
  interactionMode: InteractionMode;
  prompt: string;
  /** Names that its prompt may use for what one call is about; absent: none. */
  callVariables?: string[];
  /** What is left with a machine that answers a call of the agent's, by language code, `*` for any; absent: nothing. */
  machineMessage?: Record<string, string>;
  /** To whom a caller may be put through, by name; absent: to nobody. */
  transfers?: Record<string, CompiledTransfer>;
  /** Markdown of all knowledge files, in the order the agent names them; empty when there is none. */
  knowledge: string;
  timezone: string;
  languages: CompiledLanguage[];
  defaultLanguage: string;
  model: CompiledModel;
  modelFallbacks: CompiledModel[];
  script?: CompiledScript;
  tools: CompiledTool[];
  limits: CompiledLimits;
  /** How long conversations are kept within the model's context: the oldest turns are left out beyond this many tokens. */
  context: { maxTokens: number; rule: 'drop-oldest' };
  /** Always there in versions compiled since these fields exist; stored ones may be older. */
  speech?: CompiledSpeech;
  /** In writing; absent: nothing. */
  filler?: CompiledFiller;
  summary?: { enabled: boolean; instructions?: string };
  realtime?: CompiledRealtime;
  retentionMs: number;
  settings: AgentSettings;
}

export interface AgentVersion {
  /** Hex SHA-256 of the compiled agent's canonical JSON. */
  hash: string;
  agent: CompiledAgent;
}
