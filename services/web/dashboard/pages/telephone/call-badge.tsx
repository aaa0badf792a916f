import type { CallShown } from '../../account/account-api.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useWords } from '../../words/use-words.ts';

const tones: Partial<Record<CallShown['state'], Tone>> = {
  ...{ queued: 'busy', dialing: 'busy', ringing: 'busy', answered: 'live', ended: 'good' },
  ...{ invalid_number: 'bad', unreachable: 'bad', unknown: 'bad', refused: 'bad' },
};

export function CallBadge({ state }: Pick<CallShown, 'state'>) {
  const { telephone } = useWords();
  return <Badge tone={tones[state] ?? 'plain'}>{telephone.states[state] ?? state}</Badge>;
}
