import type { Change } from '../../../account/account-api.ts';
import { Badge, type Tone } from '../../../parts/badge.tsx';
import { useWords } from '../../../words/use-words.ts';

export type ChangeStage = 'pending' | 'refused' | 'written' | 'live' | 'held';

/** How far a change has come: written is not live yet, and what is written may be refused then (`held`). Pure. */
export function stageOf({ state, activation }: Pick<Change, 'state' | 'activation'>): ChangeStage {
  if (state !== 'written') return state;
  if (activation === 'live') return 'live';
  return activation === 'refused' ? 'held' : 'written';
}

/** Whether the worker does something about it: a proposal waits for a person instead. */
export const isUnderWay = (change: Pick<Change, 'state' | 'activation'>): boolean =>
  ['pending', 'written'].includes(stageOf(change));

const tones: Record<ChangeStage, Tone> = {
  pending: 'busy',
  refused: 'bad',
  written: 'busy',
  live: 'good',
  held: 'bad',
};

export function ChangeBadge({ change }: { change: Pick<Change, 'state' | 'activation'> }) {
  const { editor } = useWords();
  const stage = stageOf(change);
  return <Badge tone={tones[stage]}>{editor.stages[stage]}</Badge>;
}
