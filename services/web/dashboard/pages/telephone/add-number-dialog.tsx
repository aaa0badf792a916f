import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Field } from '../../parts/field.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';
import { AgentChoice } from './agent-choice.tsx';
import { numberWritten } from './number-written.ts';

export function AddNumberDialog({ onClose }: { onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const trunks = useQuery({ queryKey: ['trunks', tenancy.id], queryFn: () => api.trunks(tenancy.id) });
  const [first] = trunks.data?.items ?? [];
  return (
    <Dialog title={words.add} onClose={onClose}>
      {trunks.error && <Failed error={trunks.error} />}
      {trunks.isPending && <Skeleton lines={3} />}
      {trunks.data && !first && <p>{words.noTrunk}</p>}
      {trunks.data && first && <AddForm trunks={trunks.data.items} first={first.id} onClose={onClose} />}
    </Dialog>
  );
}

function AddForm({
  trunks,
  first,
  onClose,
}: {
  trunks: { id: string; name: string }[];
  first: string;
  onClose(): void;
}) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [number, setNumber] = useState('');
  const [trunk, setTrunk] = useState(first);
  const [agent, setAgent] = useState('');
  const { busy, error, submit } = useSubmit(async () => {
    await api.addNumber(tenancy.id, { number: numberWritten(number), trunk, ...(agent ? { agent } : {}) });
    await queries.invalidateQueries({ queryKey: ['numbers', tenancy.id] });
    announce(words.added(number));
    onClose();
  });
  return (
    <form onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Failed error={error} />}
      <Field label={words.number} hint={words.numberHint} required value={number} onValue={setNumber} />
      <label class="field">
        <span>{words.trunk}</span>
        <select value={trunk} onChange={(event) => setTrunk(event.currentTarget.value)}>
          {trunks.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="field">
        <span>{words.agent}</span>
        <AgentChoice mayBeNobody value={agent} onValue={setAgent} />
      </div>
      <DialogEnd action={words.add} {...{ busy, onClose }} />
    </form>
  );
}
