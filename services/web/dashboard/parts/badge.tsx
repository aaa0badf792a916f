import type { Outcome, SessionStatus } from '../../../contract/session.ts';
import { named, useWords } from '../words/use-words.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'live' | 'plain';

export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

const outcomeTones: Record<Outcome, Tone> = {
  resolved: 'good',
  transferred: 'busy',
  unresolved: 'busy',
  failed: 'bad',
  no_input: 'plain',
  unknown: 'plain',
};

/** What came of a conversation; while there is nothing to say of that, whether it goes on. */
export function Outcomes({ status, outcome }: { status: SessionStatus; outcome: Outcome | null }) {
  const { codes } = useWords();
  if (status === 'running') return <Badge tone="live">{codes.status.running}</Badge>;
  if (outcome) return <Badge tone={outcomeTones[outcome] ?? 'plain'}>{named(codes.outcome, outcome)}</Badge>;
  return <Badge tone="plain">{named(codes.status, status)}</Badge>;
}
