/** The bodies that pages read, as they arrive. */
import type * as answers from '../../contract/answers.ts';

type AsJson<Answer> = answers.AsJson<Answer>;

export type AgentChoice = AsJson<answers.OfferedAgent>;
export type Refusal = AsJson<answers.RefusedFiles>;
export type Figures = AsJson<answers.Figures>;
export type ToolCall = AsJson<answers.ToolCallDetails>;
export type StoredMessage = AsJson<answers.MessageDetails>;
export type Stay = AsJson<answers.Stay>;
export type SessionDetails = AsJson<answers.SessionDetails>;
export type Connection = AsJson<answers.Connection>;
