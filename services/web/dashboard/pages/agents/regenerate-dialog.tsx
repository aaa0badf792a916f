import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { useAccount, useHere } from '../../account/use-account.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Failed } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';

const graces = [0, 3_600, 86_400] as const;

interface Props {
  agent: string;
  kind: 'key' | 'secret';
  onClose(): void;
}

/** A new key or secret: how long the earlier ones go on is asked first, and what is new is shown once. */
export function RegenerateDialog({ agent, kind, onClose }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { credentials: words, members } = useWords();
  const queries = useQueryClient();
  const [graceSeconds, setGrace] = useState<(typeof graces)[number]>(3_600);
  const [made, setMade] = useState<[string, string][]>();
  // A request that is repeated after a lost answer makes nothing twice.
  const { current: once } = useRef(crypto.randomUUID());
  const { busy, error, submit } = useSubmit(async () => {
    const answer = await api.regenerate(tenancy.id, { agent, kind, graceSeconds, once });
    setMade(Object.entries(answer).filter(([name]) => name !== 'agent'));
    await queries.invalidateQueries({ queryKey: ['credentials', tenancy.id, agent] });
  });

  if (made) {
    return (
      <Dialog title={words.made[kind]} onClose={onClose}>
        <p>{words.madeHow[kind]}</p>
        {made.map(([name, value]) => (
          <p class="secret" key={name}>
            <code>{value}</code>
            <CopyButton text={value} label={`${members.copy}: ${name}`} />
          </p>
        ))}
        <div class="actions end">
          <button type="button" class="primary" onClick={onClose}>
            {members.done}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={words.regenerate[kind]} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failed error={error} />}
        <fieldset class="choices">
          <legend>{words.grace[kind]}</legend>
          {graces.map((seconds) => (
            <label class="choice" key={seconds}>
              <input type="radio" name="grace" checked={seconds === graceSeconds} onChange={() => setGrace(seconds)} />
              <span>{words.graces[seconds]}</span>
            </label>
          ))}
        </fieldset>
        <DialogEnd isDangerous action={words.regenerate[kind]} {...{ busy, onClose }} />
      </form>
    </Dialog>
  );
}
