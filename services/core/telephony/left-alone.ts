import type { SessionRow } from '../../store/tables/sessions.ts';

/** Whether it is over because the host of a call was lost and no other had room for it: the person is still on the line. */
export const isLeftAlone = ({
  channel,
  end_reason,
  started_at,
}: Pick<SessionRow, 'channel' | 'end_reason' | 'started_at'>): boolean =>
  channel === 'phone' && end_reason === 'agent_unavailable' && started_at !== null;
