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
   * The time at which the conversation takes place, such as 2026-11-21T10:00:00Z: what the agent takes for now. Left out: the time of the run.
   */
  now?: string;
  /**
   * Calls real endpoints, for tools without an answer here: runs only with --live, and never before an activation.
   */
  live: boolean;
  /**
   * How often it runs on a real model. The scripted model always does the same, so there once is enough.
   */
  repeat: number;
  /**
   * Which part of the runs on a real model must pass.
   */
  passRate: number;
  /**
   * Whether the agent may say eight or more words of its prompt in a row.
   */
  mayQuotePrompt: boolean;
  /**
   * What the person says, and what must follow.
   *
   * @minItems 1
   * @maxItems 100
   */
  turns: Turn[];
  expect: WholeExpectation;
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
   * JSON Schema that the tool's arguments match.
   */
  argumentsMatch?: {
    [k: string]: unknown;
  };
  /**
   * This tool, or none of these, was called in this turn.
   *
   * @minItems 1
   * @maxItems 20
   */
  notTool?: string | string[];
  /**
   * The reply contains this text, or every one of these texts, without case.
   *
   * @minItems 1
   * @maxItems 20
   */
  text?: string | string[];
  /**
   * The reply contains neither this text nor one of these, without case.
   *
   * @minItems 1
   * @maxItems 20
   */
  notText?: string | string[];
  /**
   * The reply matches this regular expression, or each of these; without case, Unicode-aware.
   *
   * @minItems 1
   * @maxItems 20
   */
  matches?: string | string[];
  /**
   * The reply matches none of these regular expressions.
   *
   * @minItems 1
   * @maxItems 20
   */
  notMatches?: string | string[];
  /**
   * The conversation goes on in this language, and the reply is not recognisably in another.
   */
  language?: string;
  /**
   * Whether the agent has ended the conversation after this turn.
   */
  ended?: boolean;
  /**
   * What a second model must find true of the reply, such as: It apologises and offers another day. Not judged where no judge is set.
   *
   * @minItems 1
   * @maxItems 20
   */
  judge?: string | string[];
}
export interface WholeExpectation {
  /**
   * What came of the conversation, by the rules that a session's record is made with.
   */
  outcome?: 'resolved' | 'unresolved' | 'transferred' | 'no_input' | 'failed' | 'unknown';
  /**
   * Whether the agent has ended the conversation.
   */
  ended?: boolean;
  turns?: TurnCount;
  /**
   * This tool, or none of these, was called.
   *
   * @minItems 1
   * @maxItems 20
   */
  notTool?: string | string[];
  /**
   * No reply contains this text, or one of these, without case.
   *
   * @minItems 1
   * @maxItems 20
   */
  notText?: string | string[];
  /**
   * No reply matches one of these regular expressions.
   *
   * @minItems 1
   * @maxItems 20
   */
  notMatches?: string | string[];
  /**
   * What a second model must find true of the conversation. Not judged where no judge is set.
   *
   * @minItems 1
   * @maxItems 20
   */
  judge?: string | string[];
}
/**
 * Texts of the person that were answered.
 */
export interface TurnCount {
  /**
   * At least so many.
   */
  least?: number;
  /**
   * At most so many.
   */
  most?: number;
}
