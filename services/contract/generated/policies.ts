// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * A host name such as api.example.com, or *.example.com.
 */
export type Host = string;
/**
 * A region's name in lower case: us and eu are known here, others are yours.
 */
export type Region = string;

/**
 * Rules of the operator over all agents. Each rule is on when its field is there; an agent that breaks one is refused. Default: none.
 */
export interface PoliciesFile {
  toolHosts?: AllowedHosts;
  webhookHosts?: AllowedHosts;
  /**
   * Sentences that greetings must contain, by language or country.
   *
   * @minItems 1
   * @maxItems 100
   */
  consent?: ConsentRule[];
  providerRegions?: ProviderRegions;
  voiceRetention?: VoiceRetention;
  caps?: CapBounds;
  widgetPrompt?: WidgetPrompt;
}
export interface AllowedHosts {
  /**
   * Host names, without scheme, port and path; *.example.com is any host below example.com. Default: none.
   *
   * @maxItems 500
   */
  hosts: Host[];
  /**
   * Environment variables that may hold an address, as in {env: NAME}: you set their values. Default: none.
   *
   * @maxItems 500
   *
   * Items: Name of an environment variable.
   */
  variables: string[];
}
export interface ConsentRule {
  /**
   * Language codes; de is also de-AT. With neither languages nor countries the rule holds for all. Default: none.
   *
   * @maxItems 50
   *
   * Items: A BCP 47 code such as de or pt-BR.
   */
  languages: string[];
  /**
   * Countries, as they stand in language codes such as de-AT. Default: none.
   *
   * @maxItems 50
   *
   * Items: Two capital letters, such as AT.
   */
  countries: string[];
  /**
   * What the greeting must contain; case and line breaks do not matter.
   */
  says: string;
  /**
   * The rule holds only for agents that can be spoken to. Default false.
   */
  voiceOnly: boolean;
}
export interface ProviderRegions {
  /**
   * The regions that are allowed.
   *
   * @minItems 1
   * @maxItems 20
   */
  allow: Region[];
  /**
   * Where a provider processes under your contract, by its name, instead of what is built in. Default: none.
   */
  providers: {
    [k: string]: Region;
  };
  /**
   * Where your own endpoints (baseUrl) are, by host name. Default: none.
   */
  hosts: {
    [k: string]: Region;
  };
}
export interface VoiceRetention {
  /**
   * Longest retention of an agent that can be spoken to, such as 30d.
   */
  max: string;
}
export interface CapBounds {
  /**
   * Highest limits.concurrentSessions.
   */
  concurrentSessions?: number;
  /**
   * Highest limits.minutesPerMonth.
   */
  minutesPerMonth?: number;
  /**
   * Highest limits.minutesPerDay.
   */
  minutesPerDay?: number;
  /**
   * Highest limits.tokensPerDay.
   */
  tokensPerDay?: number;
  /**
   * Highest limits.toolCallsPerDay.
   */
  toolCallsPerDay?: number;
  /**
   * Highest limits.fleetShare.
   */
  fleetShare?: number;
}
export interface WidgetPrompt {
  /**
   * Allowed values of sessions.systemPrompt. Default: never and signed.
   *
   * @minItems 1
   * @maxItems 2
   *
   * Items: never: nobody. signed: signed requests only.
   */
  allow: ('never' | 'signed')[];
}
