// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * A BCP 47 code such as en, de or pt-BR. Compared without case.
 */
export type LanguageCode = string;
/**
 * A provider of speech: see docs/write-agents/speech.md.
 */
export type SpeechProvider = 'local' | 'deepgram' | 'elevenlabs' | 'cartesia' | 'openai';
/**
 * auto: openai when OPENAI_API_KEY or a baseUrl is there, else scripted. openai: any endpoint of that protocol, by baseUrl. Default auto.
 */
export type ModelProvider = 'auto' | 'scripted' | 'openai';
/**
 * The provider's name of the model. Left out: a current small model of that provider.
 */
export type ModelName = string;
/**
 * Address of an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1 (Ollama, vLLM, llama.cpp).
 */
export type BaseUrl = string;
/**
 * Name of an environment variable, such as OPENAI_API_KEY. The value is read where it is used and never stored.
 */
export type EnvironmentName = string;
/**
 * 0 to 2. Left out: the provider's own default.
 */
export type Temperature = number;
/**
 * Longest reply; what a reasoning model thinks counts. Default 1024, maximum 16384.
 */
export type MaxOutputTokens = number;
/**
 * How long a reasoning model thinks before its first word; its thoughts count as output. Which of them a model takes, its provider says. Left out: the model's own default.
 */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
/**
 * How long the model may take to its first word, and between two words; then the next model is asked. 1s to 2m. Left out: 7s in a spoken session, 30s in a written one.
 */
export type ModelTimeout = string;
/**
 * Default openai.
 */
export type RealtimeProvider = 'openai';
/**
 * Used in these languages of the agent only. Left out: in all.
 *
 * @minItems 1
 * @maxItems 40
 */
export type OnlyIn = LanguageCode[];
/**
 * Address of the provider's interface where it is not the usual one: another region, a proxy, a compatible server.
 */
export type SpeechBaseUrl = string;
/**
 * One text for every language, or a map from language code to text; * is any other language.
 */
export type LocalizedText =
  | string
  | {
      [k: string]: string;
    };
/**
 * One regular expression or a list of them (no slashes; case is ignored). Any of them may match.
 *
 * @minItems 1
 * @maxItems 50
 */
export type Patterns = string | string[];
/**
 * Lower-case letters, digits and underscores.
 */
export type ToolName = string;
/**
 * One text for every language, or a map from language code to text; * is any other language.
 */
export type WidgetText =
  | string
  | {
      [k: string]: string;
    };

/**
 * One agent. The file's name without .yaml is its id. Fields left out have the default named in their description; nothing can be unlimited.
 */
export interface AgentFile {
  /**
   * The name people see, for example in a widget or the history.
   */
  name: string;
  /**
   * The agent's instructions. May use {{now}}, {{date}}, {{timezone}}, {{language}} and {{channel}}.
   */
  prompt: string;
  /**
   * Markdown files in knowledge/, in the order in which they are appended to the instructions. Default: none.
   *
   * @maxItems 50
   *
   * Items: A file's name in knowledge/, such as menu.md.
   */
  knowledge: string[];
  /**
   * The languages this agent speaks. A session may choose only among these.
   *
   * @minItems 1
   * @maxItems 30
   */
  languages: Language[];
  defaultLanguage?: LanguageCode;
  /**
   * Whether a session that does not say is spoken (VOICE) or text only (TEXT). Default VOICE.
   */
  interactionMode: 'VOICE' | 'TEXT';
  /**
   * pipeline: speech recognition, language model, speech synthesis. realtime: one speech-to-speech model. Default pipeline.
   */
  voiceAgentKind: 'pipeline' | 'realtime';
  /**
   * IANA name of the time zone of {{now}} and {{date}}, such as Europe/Berlin. Default UTC.
   */
  timezone: string;
  model: Model;
  realtime?: Realtime;
  speech: Speech;
  filler?: Filler;
  script?: Script;
  /**
   * Tools the model may call: names of files in tools/, or the built-in end_call, switch_language, transfer, press_keys, answering_machine and collect. Default: none.
   *
   * @maxItems 32
   */
  tools: ToolName[];
  /**
   * What the built-in tool collect may note, by name. Absent: whatever the model finds worth noting, as text.
   */
  collect?: {
    [k: string]: CollectedField;
  };
  limits: Limits;
  context: Context;
  sessions: Sessions;
  /**
   * Web origins that may use this agent from a browser. Left out: any site. An empty list: no site. The service's own pages, where the widget is tried, always may. A request without an Origin header is not a browser and always passes.
   *
   * @maxItems 100
   *
   * Items: Scheme, host and port only, such as https://www.example.com.
   */
  allowedOrigins?: string[];
  webhook?: Webhook;
  phone?: Phone;
  widget?: Widget;
  /**
   * How long a conversation is kept after its end, then everything of it is deleted. 1h to 3650d, default 90d.
   */
  retention: string;
  summary: Summary;
}
export interface Language {
  code: LanguageCode;
  /**
   * The language's name as people read it, such as Deutsch.
   */
  name: string;
  /**
   * What the agent says first. Left out: it waits for the person.
   */
  greeting?: string;
  /**
   * Voices to choose from in this language; exactly one is the default. Default: none.
   *
   * @maxItems 20
   */
  voices: Voice[];
  /**
   * What recognition without a key (speech.recognition: local) listens for, and nothing else, one or several in a breath; {number}, {few} (1 to 12), {ordinal}, {clock}, {day} and {name} stand for any. Left out: what it can read from the patterns of the script.
   *
   * @minItems 1
   * @maxItems 500
   */
  phrases?: string[];
  /**
   * Words that voices say wrong, each with another spelling that they say right, such as Nguyen: Win. Whole words, without regard to case. What is shown stays as it is written.
   */
  pronunciations?: {
    [k: string]: string;
  };
  lines: Lines;
}
export interface Voice {
  /**
   * The voiceId that callers send.
   */
  id: string;
  /**
   * The voice's name as people read it.
   */
  name: string;
  /**
   * How the voice sounds, for people who choose one.
   */
  gender?: 'female' | 'male' | 'neutral';
  /**
   * Used when a session names no voice. Default false.
   */
  default: boolean;
  provider?: SpeechProvider;
  /**
   * The provider's own name of the voice. Left out: the id.
   */
  model?: string;
}
export interface Lines {
  /**
   * Said when the language model cannot be reached.
   */
  modelUnavailable?: string;
  /**
   * Said once when the person writes faster than the limits allow.
   */
  tooManyMessages?: string;
  /**
   * Said before the session ends because a limit was reached.
   */
  limitReached?: string;
  /**
   * Written when the person joins a spoken session so late that others have its place, and no other is free.
   */
  voiceUnavailable?: string;
  /**
   * Said when the agent heard only the end of what the person said, because another host has just taken the call over.
   */
  sayAgain?: string;
}
export interface Model {
  provider: ModelProvider;
  name?: ModelName;
  baseUrl?: BaseUrl;
  apiKey?: SecretReference;
  temperature?: Temperature;
  maxOutputTokens: MaxOutputTokens;
  reasoningEffort?: ReasoningEffort;
  options?: ModelOptions;
  timeout?: ModelTimeout;
  /**
   * Models to try in this order when the one before fails. Default: none.
   *
   * @maxItems 3
   */
  fallbacks: FallbackModel[];
}
/**
 * A secret, by the name of the environment variable that holds it.
 */
export interface SecretReference {
  env: EnvironmentName;
}
/**
 * Further fields of the request, sent as they are. Which of them a model takes, its provider says.
 */
export interface ModelOptions {
  top_p?: number;
  top_k?: number;
  min_p?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  repetition_penalty?: number;
  seed?: number;
  /**
   * @minItems 1
   * @maxItems 4
   */
  stop?: string[];
  verbosity?: 'low' | 'medium' | 'high';
  service_tier?: string;
  prompt_cache_key?: string;
  /**
   * Sent with tools only.
   */
  parallel_tool_calls?: boolean;
  /**
   * vLLM, SGLang and llama.cpp: {enable_thinking: false}, for example.
   */
  chat_template_kwargs?: {
    [k: string]: unknown;
  };
  /**
   * OpenRouter: {effort: low} or {max_tokens: 500}, for example.
   */
  reasoning?: {
    [k: string]: unknown;
  };
  /**
   * DeepSeek, GLM: {type: disabled}, for example.
   */
  thinking?: {
    [k: string]: unknown;
  };
}
export interface FallbackModel {
  provider: ModelProvider;
  name?: ModelName;
  baseUrl?: BaseUrl;
  apiKey?: SecretReference;
  temperature?: Temperature;
  maxOutputTokens: MaxOutputTokens;
  reasoningEffort?: ReasoningEffort;
  options?: ModelOptions;
  timeout?: ModelTimeout;
}
export interface Realtime {
  provider: RealtimeProvider;
  name?: ModelName;
  baseUrl?: BaseUrl;
  apiKey?: SecretReference;
  temperature?: Temperature;
  /**
   * How the model notices that the person has finished. Default server_vad.
   */
  turnDetection: 'server_vad' | 'semantic_vad';
}
export interface Speech {
  /**
   * Speech to text, tried in this order. Default: what the deployment offers.
   *
   * @maxItems 4
   */
  recognition: Recognition[];
  /**
   * Text to speech, tried in this order. Default: what the deployment offers.
   *
   * @maxItems 4
   */
  synthesis: Synthesis[];
  interruption: Interruption;
  endpointing: Endpointing;
  /**
   * The model begins with its answer in the pause in which it turns out whether the person has finished. When they go on, that answer was for nothing, and its tokens are paid all the same. Default true.
   */
  preemptiveGeneration: boolean;
  idlePrompt?: IdlePrompt;
  filler?: Filler;
}
export interface Recognition {
  provider: SpeechProvider;
  languages?: OnlyIn;
  /**
   * The provider's name of the model.
   */
  model?: string;
  baseUrl?: SpeechBaseUrl;
  apiKey?: SecretReference;
  /**
   * Of local: dictation takes whatever is said, grammar only what phrases list, and exactly. Left out: dictation in languages for which a model is there, else grammar.
   */
  engine?: 'dictation' | 'grammar';
  /**
   * Names and words to listen for. Default: none.
   *
   * @maxItems 100
   *
   * Items: A word or a name.
   */
  keywords: string[];
}
export interface Synthesis {
  provider: SpeechProvider;
  languages?: OnlyIn;
  /**
   * The provider's name of the model.
   */
  model?: string;
  baseUrl?: SpeechBaseUrl;
  apiKey?: SecretReference;
  /**
   * 0.5 to 2, default 1.
   */
  speed: number;
}
export interface Interruption {
  /**
   * Whether the person can interrupt. Default true.
   */
  enabled: boolean;
  /**
   * Shorter sounds do not interrupt. 50ms to 5s, default 200ms.
   */
  minDuration: string;
  /**
   * Fewer recognised words do not interrupt. Default 0, maximum 10.
   */
  minWords: number;
}
export interface Endpointing {
  /**
   * Silence after which the person's turn is over. 100ms to 5s, default 400ms.
   */
  minSilence: string;
  /**
   * Longest wait when the sentence sounds unfinished. 500ms to 15s, default 3s.
   */
  maxDelay: string;
}
export interface IdlePrompt {
  /**
   * How long the person is silent first. 3s to 5m, default 20s.
   */
  after: string;
  /**
   * How often in a row. Default 2, maximum 5.
   */
  times: number;
  say: LocalizedText;
}
export interface Filler {
  /**
   * How long the person has waited first: since their turn began or, in writing, since the last words that they read; aloud, since a tool began as well. Where nobody has answered by then it comes aloud this long, and at least 1.2s, after the person's last sound, should recognition be late. 300ms to 30s, default 1500ms.
   */
  after: string;
  say: LocalizedText;
}
export interface Script {
  /**
   * The first rule whose conditions hold decides. A rule that still needs slots stays open: it asks, and the next text is read as the answer.
   *
   * @minItems 1
   * @maxItems 200
   */
  rules: Rule[];
  fallback: LocalizedText;
}
export interface Rule {
  /**
   * So that other rules can name it in after.
   */
  name?: string;
  when?: Patterns;
  language?: LanguageCode;
  /**
   * The rule holds only right after a turn by the rule of this name.
   */
  after?: string;
  /**
   * What must be known before the tool is called and the text is said, asked in this order. Default: nothing.
   *
   * @maxItems 20
   */
  needs: Slot[];
  call?: ScriptedCall;
  say: LocalizedText;
  failed?: LocalizedText;
  /**
   * The conversation ends once the reply was said; needs end_call among the tools. Default false.
   */
  end: boolean;
  /**
   * How the conversation counts in the history and the webhook once this rule has spoken.
   */
  outcome?: 'resolved' | 'unresolved' | 'transferred' | 'no_input' | 'failed' | 'unknown';
}
export interface Slot {
  /**
   * The slot's name, used as {{name}}.
   */
  name: string;
  pattern: Patterns;
  ask: LocalizedText;
}
export interface ScriptedCall {
  tool: ToolName;
  /**
   * The arguments; {{slot}} is filled in. A text that is one placeholder becomes the type the tool declares. Default: none.
   */
  arguments: {
    [k: string]: unknown;
  };
}
export interface CollectedField {
  /**
   * What it is and how it is written, for the model.
   */
  description: string;
  /**
   * What kind of value it is; other values are refused. Default string, of at most 500 characters.
   */
  type: 'string' | 'integer' | 'number' | 'boolean';
  /**
   * The only texts that are allowed.
   *
   * @minItems 1
   * @maxItems 50
   */
  enum?: string[];
  /**
   * date: a text such as 2026-11-21. email: an address.
   */
  format?: 'date' | 'email';
  /**
   * The least number that is allowed.
   */
  minimum?: number;
  /**
   * The greatest number that is allowed.
   */
  maximum?: number;
}
export interface Limits {
  /**
   * A session nobody joins within this time ends. 1s to 1h, default 10m.
   */
  joinTimeout: string;
  /**
   * How long a person may be gone before the session ends. 1s to 10m, default 30s.
   */
  reconnectGrace: string;
  /**
   * The session ends when nobody says anything for this long. 1s to 2h, default 10m.
   */
  idleTimeout: string;
  /**
   * Longest session. 1s to 24h, default 1h.
   */
  maxDuration: string;
  /**
   * Most turns of the person in one session. Default 200, maximum 5000.
   */
  turns: number;
  /**
   * Most model tokens in one session, in and out. Default 1000000, maximum 20000000.
   */
  tokens: number;
  /**
   * Characters of one text; reading stops there. Default 8000, maximum 32000.
   */
  textLength: number;
  /**
   * Texts that may wait for their reply. Default 10, maximum 100.
   */
  textsWaiting: number;
  /**
   * Texts a person may send a minute. Default 30, maximum 600.
   */
  textsPerMinute: number;
  /**
   * Most tool calls for one reply. Default 10, maximum 50.
   */
  toolCallsPerTurn: number;
  /**
   * Most calls of one tool with the same arguments in a row; of tools that may be called again without harm, in one turn. Default and maximum 5.
   */
  equalToolCalls: number;
  /**
   * Sessions of this agent at the same time. Default 500, maximum 100000.
   */
  concurrentSessions: number;
  /**
   * Billed minutes of this agent in a calendar month (UTC). Default 1000000, maximum 50000000.
   */
  minutesPerMonth: number;
  /**
   * Billed minutes of this agent a day (UTC). Default 100000, maximum 2000000.
   */
  minutesPerDay: number;
  /**
   * Tool calls of this agent a day (UTC). Default 100000, maximum 100000000.
   */
  toolCallsPerDay: number;
  /**
   * Per cent of the agent hosts' places, and of their places for spoken sessions, that this agent may take where others could come. 1 to 100, default 75.
   */
  fleetShare: number;
  visitor: VisitorLimits;
  unsigned: UnsignedLimits;
  /**
   * Model tokens of this agent a day (UTC). Default 50000000, maximum 10000000000.
   */
  tokensPerDay: number;
  /**
   * Sessions that wait for their person, for one key and client address. Default 20, maximum 10000.
   */
  unjoinedSessions: number;
  /**
   * API requests a minute for one key and client address. Default 180, maximum 100000.
   */
  requestsPerMinute: number;
}
export interface VisitorLimits {
  /**
   * Sessions at the same time; a whole office may have one address. Default 30, maximum 100000.
   */
  sessions: number;
  /**
   * Spoken sessions among them. Default 10, maximum 100000.
   */
  spokenSessions: number;
  /**
   * Billed minutes a day (UTC). Default 600, maximum 2000000.
   */
  minutesPerDay: number;
  /**
   * Tool calls a day (UTC). Default 1000, maximum 100000000.
   */
  toolCallsPerDay: number;
}
export interface UnsignedLimits {
  /**
   * Sessions at the same time. Default 100, maximum 100000.
   */
  sessions: number;
  /**
   * Spoken sessions among them. Default 12, maximum 100000.
   */
  spokenSessions: number;
  /**
   * Billed minutes a day (UTC). Default 5000, maximum 2000000.
   */
  minutesPerDay: number;
  /**
   * Tool calls a day (UTC). Default 10000, maximum 100000000.
   */
  toolCallsPerDay: number;
}
export interface Context {
  /**
   * Instructions and conversation together stay within this many tokens. Default 32000, maximum 2000000.
   */
  maxTokens: number;
  /**
   * Prompt and knowledge together may have this many tokens (estimated at 4 characters each); validation refuses more. Default 12000, maximum 500000.
   */
  instructionTokens: number;
  /**
   * drop-oldest: what is oldest is left out of a request, a quarter of maxTokens at a time. Default drop-oldest.
   */
  rule: 'drop-oldest';
}
export interface Sessions {
  /**
   * Who may replace the prompt of a session. server: any caller with the key that is not a browser. signed: signed requests only. never: nobody. Default server.
   */
  systemPrompt: 'server' | 'signed' | 'never';
  /**
   * Sessions and tokens are created by signed requests only. Default false.
   */
  requireSignature: boolean;
  /**
   * The person may publish a camera. Default false.
   */
  camera: boolean;
  /**
   * The person may publish a microphone; a TEXT session then becomes spoken. Default true.
   */
  microphone: boolean;
  challenge?: Challenge;
}
export interface Challenge {
  /**
   * Whose challenge: Cloudflare Turnstile or hCaptcha. The operator gives the service the secret that belongs to it (challenges in the stack).
   */
  provider: 'turnstile' | 'hcaptcha';
  /**
   * The site key, which is public; in quotes, as one may look like a number. Requests carry the answer in X-Parley-Challenge; the widget gets it from the person by itself.
   */
  siteKey: string;
  /**
   * What becomes of requests while the provider does not answer within 5 s. Default refuse.
   */
  whenDown: 'refuse' | 'admit';
}
export interface Webhook {
  /**
   * An https address, or {env: NAME} when the address itself is a secret.
   */
  url:
    | string
    | {
        env: EnvironmentName;
      };
}
export interface Phone {
  outbound?: OutboundCalls;
  /**
   * To whom the built-in tool transfer puts a caller through, by the name that the model chooses. Left out: to nobody.
   */
  transfers?: {
    [k: string]: TransferDestination;
  };
}
export interface OutboundCalls {
  /**
   * Whether whoever asks for a call must say on which ground the person is called. Default required.
   */
  consent: 'required' | 'not-required';
  /**
   * When people may be called, by the clock where they are. Default: Monday to Friday, 09:00 to 20:00.
   *
   * @minItems 1
   * @maxItems 14
   */
  hours: CallingHours[];
  /**
   * What whoever asks for a call tells the agent, by name; the prompt uses it as {{name}}.
   */
  variables: {
    [k: string]: CallVariable;
  };
  message?: LocalizedText;
}
export interface CallingHours {
  /**
   * Days of the week.
   *
   * @minItems 1
   */
  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  /**
   * The first minute, such as 09:00.
   */
  from: string;
  /**
   * The minute after the last one, such as 17:00; at most 24:00.
   */
  to: string;
}
export interface CallVariable {
  /**
   * What it is, for whoever asks for a call.
   */
  description: string;
  /**
   * Whether a call needs it. Default true.
   */
  required: boolean;
}
export interface TransferDestination {
  /**
   * With + and the country's code, such as +4930123456. The model never sees it.
   */
  number: string;
  /**
   * Who answers there and for what, for the model.
   */
  description: string;
  say?: LocalizedText;
}
/**
 * Each field but texts has the name of the tag's attribute (voiceId: data-voice-id); the attribute, where a page sets it, wins.
 */
export interface Widget {
  /**
   * Whether people write, speak, or choose. Default both.
   */
  mode: 'text' | 'voice' | 'both';
  language?: LanguageCode;
  /**
   * One of the agent's voices. Left out: the default voice of the language.
   */
  voiceId?: string;
  /**
   * Corner of the page. Default bottom-right.
   */
  position: 'bottom-right' | 'bottom-left';
  /**
   * auto: as the person's system is set. Default auto.
   */
  theme: 'auto' | 'light' | 'dark';
  /**
   * Colour of the button and the heading. Default #1f5fbf.
   */
  color: string;
  /**
   * Heading of the widget. Left out: the agent's name.
   */
  title?: string;
  /**
   * A line below the heading. Left out: none.
   */
  subtitle?: string;
  greeting?: WidgetText;
  /**
   * Whether it is open when the page has loaded. Default false.
   */
  open: boolean;
  consent?: WidgetText;
  /**
   * CSS selector of the element of the page that holds the widget. Left out: a button in a corner of the page.
   */
  target?: string;
  texts?: WidgetTexts;
}
/**
 * What the widget says instead of its own words, which are there in English, German, Spanish, French and Arabic. {seconds}, {count} and {label} are put in.
 */
export interface WidgetTexts {
  title?: WidgetText;
  placeholder?: WidgetText;
  send?: WidgetText;
  speak?: WidgetText;
  write?: WidgetText;
  mute?: WidgetText;
  unmute?: WidgetText;
  stop?: WidgetText;
  microphone?: WidgetText;
  speaker?: WidgetText;
  close?: WidgetText;
  menu?: WidgetText;
  copy?: WidgetText;
  copied?: WidgetText;
  notCopied?: WidgetText;
  newConversation?: WidgetText;
  end?: WidgetText;
  accept?: WidgetText;
  you?: WidgetText;
  agent?: WidgetText;
  writes?: WidgetText;
  thinks?: WidgetText;
  listens?: WidgetText;
  speaks?: WidgetText;
  connecting?: WidgetText;
  reconnecting?: WidgetText;
  elsewhere?: WidgetText;
  spokenElsewhere?: WidgetText;
  agentWithin?: WidgetText;
  waiting?: WidgetText;
  failed?: WidgetText;
  cut?: WidgetText;
  heard?: WidgetText;
  ended?: WidgetText;
  conversation?: WidgetText;
  latest?: WidgetText;
  unread?: WidgetText;
  showAll?: WidgetText;
  level?: WidgetText;
  working?: WidgetText;
  trying?: WidgetText;
  retry?: WidgetText;
  continueHere?: WidgetText;
  soundOn?: WidgetText;
  dismiss?: WidgetText;
  microphone_denied?: WidgetText;
  microphone_missing?: WidgetText;
  autoplay_blocked?: WidgetText;
  voice_unavailable?: WidgetText;
  rate_limited?: WidgetText;
  agent_disabled?: WidgetText;
  origin_not_allowed?: WidgetText;
  challenge_required?: WidgetText;
  no_capacity?: WidgetText;
  session_ended?: WidgetText;
  network?: WidgetText;
}
export interface Summary {
  /**
   * Whether a summary is made. Default true.
   */
  enabled: boolean;
  /**
   * What to look for, in addition to the built-in instructions.
   */
  instructions?: string;
}
