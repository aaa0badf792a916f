// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Conversations that an agent must get right. The file is named after its agent. Scenarios are not part of an agent's version.
 */
export interface ScenarioFile {
  /**
   * The conversations, each on its own.
   *
   * @minItems 1
   * @maxItems 100
   */
  scenarios: Scenario[];
}
export interface Scenario {
  /**
   * What the agent gets right, as a sentence.
   */
  name: string;
  /**
   * Language of the conversation. Left out: the agent's default.
   */
  language?: string;
  /**
   * What tools answer in this conversation, by name; nothing outside is called.
   */
  tools: {
    [k: string]: ToolAnswer;
  };
  /**
   * What the person says, and what must follow.
   *
   * @minItems 1
   * @maxItems 100
   */
  turns: Turn[];
}
/**
 * Either a result or an error.
 */
export interface ToolAnswer {
  /**
   * What the tool returns.
   */
  result?: {
    [k: string]: unknown;
  };
  /**
   * The tool fails with this text.
   */
  error?: string;
}
export interface Turn {
  /**
   * What the person says.
   */
  say: string;
  expect: Expectation;
}
export interface Expectation {
  /**
   * This tool was called in this turn.
   */
  tool?: string;
  /**
   * The tool's call had at least these arguments, with these values.
   */
  arguments?: {
    [k: string]: unknown;
  };
  /**
   * The reply contains this text, or every one of these texts, without case.
   *
   * @minItems 1
   * @maxItems 20
   */
  text?: string | string[];
  /**
   * Whether the agent has ended the conversation after this turn.
   */
  ended?: boolean;
}
