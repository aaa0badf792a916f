import type { HungUpBy } from './telephony.ts';

/** What each reason why a session is over says, and what follows from it. */
interface End {
  /**
   * `finished`: by one of those who spoke, and by nothing that cut them short. `failed`: by a fault of ours or of a
   * provider. `cut_short`: by a limit, in the middle of a conversation.
   */
  how: 'finished' | 'failed' | 'cut_short' | 'other';
  /** Whose end it is of a call that was answered; nobody's where the line was not what ended. */
  hungUpBy: HungUpBy | 'nobody';
  /** In lists and filters of the dashboard; other languages have words of their own (services/web/dashboard/words). */
  label: string;
  /** The last sentence of a summary that is made by rules. */
  inSummary: string;
  /** To the person who has just talked. */
  toPerson: string;
}

/** In the order in which docs/call/rest.md names them. After a change: `npm run generate`. */
export const ends = {
  client_ended: {
    how: 'finished',
    hungUpBy: 'agent',
    label: 'The client ended it',
    inSummary: 'It was ended by the client.',
    toPerson: 'You ended the conversation.',
  },
  agent_ended: {
    how: 'finished',
    hungUpBy: 'agent',
    label: 'The agent ended it',
    inSummary: 'The agent ended it.',
    toPerson: 'The agent ended the conversation.',
  },
  participant_left: {
    how: 'finished',
    hungUpBy: 'person',
    label: 'The person left',
    inSummary: 'The person left.',
    toPerson: 'You left and did not come back in time.',
  },
  never_joined: {
    how: 'other',
    hungUpBy: 'nobody',
    label: 'Nobody joined',
    inSummary: 'Nobody joined.',
    toPerson: 'Nobody joined the conversation.',
  },
  idle_timeout: {
    how: 'other',
    hungUpBy: 'limit',
    label: 'Nothing was said for too long',
    inSummary: 'It ended because nobody said anything any more.',
    toPerson: 'Nothing was said for too long.',
  },
  max_duration: {
    how: 'cut_short',
    hungUpBy: 'limit',
    label: 'The longest duration was reached',
    inSummary: 'It ended at its time limit.',
    toPerson: 'The longest duration that the agent allows was reached.',
  },
  agent_unavailable: {
    how: 'failed',
    hungUpBy: 'nobody',
    label: 'No agent could take it',
    inSummary: 'It ended because the agent could not be reached.',
    toPerson: 'No agent could take the conversation.',
  },
  dashboard_ended: {
    how: 'other',
    hungUpBy: 'agent',
    label: 'Ended from the dashboard',
    inSummary: 'It was ended from the dashboard.',
    toPerson: 'It was ended from the dashboard.',
  },
  call_ended: {
    how: 'finished',
    hungUpBy: 'person',
    label: 'The call ended',
    inSummary: 'The call ended.',
    toPerson: 'The call was ended.',
  },
  tenant_limit: {
    how: 'cut_short',
    hungUpBy: 'limit',
    label: 'A limit of the tenant was reached',
    inSummary: 'It ended because a limit was reached.',
    toPerson: 'A limit of this installation was reached.',
  },
  room_lost: {
    how: 'failed',
    hungUpBy: 'nobody',
    label: 'The room was lost',
    inSummary: 'It ended because the room was lost.',
    toPerson: 'The room was lost.',
  },
  provider_failed: {
    how: 'failed',
    hungUpBy: 'nobody',
    label: 'The provider of the model failed',
    inSummary: 'It ended because the model could not be reached.',
    toPerson: 'The provider of the model failed.',
  },
  budget_exhausted: {
    how: 'cut_short',
    hungUpBy: 'limit',
    label: 'Its turns or tokens were used up',
    inSummary: 'It ended because its budget was used up.',
    toPerson: 'The budget of turns or tokens was used up.',
  },
  operator_ended: {
    how: 'other',
    hungUpBy: 'agent',
    label: 'An operator ended it',
    inSummary: 'It was ended by an operator.',
    toPerson: 'An operator ended it.',
  },
} as const satisfies Record<string, End>;

/** Why a session is over. */
export type EndReason = keyof typeof ends;

export const endReasons = Object.keys(ends) as EndReason[];

export const endReasonLabels = Object.fromEntries(endReasons.map((reason) => [reason, ends[reason].label])) as Record<
  EndReason,
  string
>;
