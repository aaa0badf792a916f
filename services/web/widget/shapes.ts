/** What the loader and the window of the widget agree upon. Types only: the two are built apart. */
import type { LanguagesForWidget, ToldWidgetSettings, WidgetSettings } from '../../contract/widget.ts';
import type { Figures } from '../client/shapes.ts';

/** The widget as it is to look and behave: the tag's attribute over the agent's file over the default. */
export type Settings = WidgetSettings & Pick<ToldWidgetSettings, 'microphone' | 'challenge'>;

/** What a tag can set: the rest comes from the agent's file only. */
export type TagSetting = Exclude<keyof WidgetSettings, 'texts'>;

/** Why something does not work, for programs. */
export type ErrorCode =
  | 'microphone_denied'
  | 'microphone_missing'
  | 'autoplay_blocked'
  | 'voice_unavailable'
  | 'rate_limited'
  | 'agent_disabled'
  | 'origin_not_allowed'
  | 'no_capacity'
  | 'challenge_required'
  | 'session_ended'
  | 'elsewhere'
  | 'network';

/** The events of the element, by their name, with their `detail`. */
export interface WidgetEvents {
  /** The element is there, and its methods can be called. Also on `document`. */
  'parley:ready': { agentKey: string };
  'parley:open': Record<string, never>;
  'parley:close': Record<string, never>;
  'parley:state': {
    phase: 'idle' | 'starting' | 'talking' | 'ending' | 'ended';
    connection: 'none' | 'connecting' | 'connected' | 'reconnecting' | 'lost' | 'elsewhere';
    agent: 'absent' | 'listening' | 'thinking' | 'speaking';
    mode: 'text' | 'voice';
    microphone: 'off' | 'asked' | 'on' | 'muted';
    sessionId: string | null;
  };
  /** A line of the conversation, told again under its id as it grows; `final` when it is whole. */
  'parley:message': { id: string; from: 'person' | 'agent'; text: string; final: boolean };
  'parley:error': { code: ErrorCode; message: string; retryAfterSeconds?: number };
  'parley:ended': { figures: Figures | null };
}

/** What a page does for the agent. The result goes to the model, as JSON or text. */
export type ToolFunction = (args: Record<string, unknown>, call: { callId: string }) => unknown;

export interface ToolOptions {
  /** What the person reads while it runs. */
  label?: string;
  /** JSON Schema of an object: `type`, `required`, `enum`, `minimum`, `maximum`, `maxLength` of its properties are checked. */
  parameters?: ObjectSchema;
  /** At most 120 s; 10 s where it is left out. */
  timeoutSeconds?: number;
}

export interface ObjectSchema {
  required?: readonly string[];
  properties?: Readonly<Record<string, PropertySchema>>;
}

export interface PropertySchema {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** The methods of `<parley-widget>`. */
export interface WidgetMethods {
  /** Begins a conversation, unless one is going on. */
  start(): Promise<void>;
  send(text: string): Promise<void>;
  /** Takes the microphone, which the browser asks the person for; within a click. */
  speak(): Promise<void>;
  /** Back to writing: the microphone is given back. */
  write(): Promise<void>;
  mute(muted?: boolean): Promise<void>;
  /** The agent is to stop speaking. */
  stop(): Promise<void>;
  end(): Promise<void>;
  open(): Promise<void>;
  close(): void;
  registerTool(name: string, tool: ToolFunction, options?: ToolOptions): void;
  unregisterTool(name: string): void;
}

export type WidgetElement = HTMLElement & WidgetMethods;

export interface RegisteredTool extends ToolOptions {
  run: ToolFunction;
}

/** What the loader hands over when the person opens the widget. */
export interface Handover {
  host: WidgetElement;
  /** Undefined: without an interface. */
  launcher: LauncherParts | undefined;
  agentKey: string;
  /** Of the service: scheme, host and port. */
  origin: string;
  client: string;
  settings(): Settings;
  /** What is known of the agent; asks where nothing is yet. @throws Error with `status` when that is refused */
  facts(): Promise<LanguagesForWidget>;
  tools: Map<string, RegisteredTool>;
  /** Whatever changes in `tools`. */
  onTool(heard: (name: string) => void): void;
  warn(text: string): void;
}

export interface LauncherParts {
  root: ShadowRoot;
  button: HTMLButtonElement;
  /** In an element of the page: always open, and without a button. */
  inline: boolean;
}

/** What the window does for the element: everything the loader does not do by itself. */
export type Controls = Pick<
  WidgetMethods,
  'start' | 'send' | 'speak' | 'write' | 'mute' | 'stop' | 'end' | 'open' | 'close'
>;

export interface AppModule {
  take(handover: Handover): Controls;
}
