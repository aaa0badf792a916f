/** The widget of a customer's website: how an author wants it, and what the API tells it. */
import type { AgentFile, Challenge, Widget } from './generated/agent.ts';

/** By language code, `*` for any. */
export type Localized = Record<string, string>;

interface LocalizedFields {
  greeting?: Localized;
  consent?: Localized;
  /** By name. */
  texts?: Record<string, Localized>;
}

/** The agent file's `widget`, its texts by language. */
export type WidgetSettings = Omit<Widget, keyof LocalizedFields> & LocalizedFields;

/** What a page is told of the challenge that it shows. */
export type ShownChallenge = Pick<Challenge, 'provider' | 'siteKey'>;

/** What the API adds to how the author wants it: what the agent does not permit, and what it asks for. */
export type ToldWidgetSettings = Partial<WidgetSettings> & { microphone?: boolean; challenge?: ShownChallenge };

export interface OfferedVoice {
  id: string;
  name: string;
  gender?: string;
  default: boolean;
}

/** GET /api/sessions/languages */
export interface Languages {
  voiceAgentKind: AgentFile['voiceAgentKind'];
  languages: string[];
  languageConfigs: { code: string; name: string; availableVoices: OfferedVoice[] }[];
  defaultLanguage: string;
}

/** The same, as the widget is answered. */
export interface LanguagesForWidget extends Languages {
  widget: ToldWidgetSettings;
}
