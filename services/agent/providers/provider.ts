/** What a provider's folder tells the house. Plain data, but for `load`, which imports a plugin when it is first needed. */
import type { MakeModel } from '../models/making.ts';
import type { ConnectRealtime } from '../models/realtime-session.ts';
import type { SpeechMakers } from '../speech/settings.ts';

export interface Provider {
  /** As agents' files write it. */
  readonly name: string;
  /** The variable that holds its key when an agent names no other. Absent: it takes none. */
  readonly key?: string;
  /** Where its usual endpoint processes what people say, as its public documentation says; `here`: where the installation runs. */
  readonly region: string;
  /** Address of its interface, for a protocol that other servers speak too. */
  readonly endpoint?: string;
  /** Hosts of its own whose region is known. */
  readonly hosts?: Readonly<Record<string, string>>;
  readonly speech?: {
    readonly names?: PluginNames<'recognition' | 'synthesis' | 'voices'>;
    /** Its row in docs/write-agents/speech.md: what recognises, and how voices are named. */
    readonly docs: { readonly recognition: string; readonly voices: string };
    load(): Promise<SpeechMakers>;
  };
  readonly model?: {
    readonly names?: PluginNames<'names'>;
    /** Of an agent that names none. */
    readonly usual?: string;
    readonly protocol?: 'chat-completions';
    /** It follows the agent's script and nothing else. */
    readonly needsScript?: true;
    load(): Promise<{ make: MakeModel }>;
  };
  readonly realtime?: {
    load(): Promise<{ connect: ConnectRealtime }>;
  };
}

/**
 * Which types of a plugin's declaration files name what: they are gone when a program runs, so `npm run generate` reads them.
 * What is not here, the plugin does not name.
 */
export type PluginNames<Kind extends string> = { readonly plugin: string } & {
  readonly [kind in Kind]?: { readonly file: string; readonly types: readonly string[] };
};
