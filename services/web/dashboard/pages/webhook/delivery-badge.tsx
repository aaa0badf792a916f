import type { DeliveryItem } from '../../account/account-api.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useWords } from '../../words/use-words.ts';

const tones: Record<DeliveryItem['status'], Tone> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  disabled: 'bad',
};

export function DeliveryBadge({ status }: { status: DeliveryItem['status'] }) {
  const { webhook } = useWords();
  return <Badge tone={tones[status]}>{webhook.statuses[status]}</Badge>;
}
