/** What reading, checking and admitting agents asks about a provider: plain data, generated from services/agent/providers. */
export interface ProviderFacts {
  /** The variable that holds its key when an agent names no other. Absent: it takes none. */
  readonly key?: string;
  /** Where its usual endpoint processes what people say; `here`: where the installation runs. */
  readonly region: string;
  /** Address of its interface, for a protocol that other servers speak too. */
  readonly endpoint?: string;
  /** Hosts of its own whose region is known. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Names that its plugin knows; a list is absent where the plugin has none. */
  readonly speech?: {
    readonly recognition?: readonly string[];
    readonly synthesis?: readonly string[];
    readonly voices?: readonly string[];
  };
  readonly model?: {
    readonly names?: readonly string[];
    /** Of an agent that names none. */
    readonly usual?: string;
    /** `chat-completions`: what asks OpenAI's interface for one answer can ask this provider too. */
    readonly protocol?: 'chat-completions';
    /** It follows the agent's script and nothing else. */
    readonly needsScript?: true;
  };
}
