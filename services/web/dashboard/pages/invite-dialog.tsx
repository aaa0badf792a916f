import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast, type Role, roles } from '../../../contract/roles.ts';
import { useAccount, useHere } from '../account/use-account.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogEnd } from '../parts/dialog-end.tsx';
import { Field } from '../parts/field.tsx';
import { Failed } from '../parts/states.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWords } from '../words/use-words.ts';

/** Invites by address and role. The link is mailed, or else shown once, for whoever invites to hand on. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { members: words, codes } = useWords();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [link, setLink] = useState<string>();
  const [mailedTo, setMailedTo] = useState<string>();
  const { busy, error, submit } = useSubmit(async () => {
    const { token } = await api.invite(tenancy.id, { email, role });
    if (token === null) setMailedTo(email);
    else setLink(`${location.origin}/invitation#${token}`);
    await queries.invalidateQueries({ queryKey: ['members', tenancy.id] });
  });

  if (mailedTo) {
    return (
      <Dialog title={words.mailed} onClose={onClose}>
        <p>{words.mailedHow(mailedTo)}</p>
        <div class="actions end">
          <button type="button" class="primary" onClick={onClose}>
            {words.done}
          </button>
        </div>
      </Dialog>
    );
  }
  if (link) {
    return (
      <Dialog title={words.link} onClose={onClose}>
        <p>{words.linkHow}</p>
        <pre class="wrap">{link}</pre>
        <div class="actions end">
          <CopyButton text={link} label={words.copy} />
          <button type="button" class="primary" onClick={onClose}>
            {words.done}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={words.inviteTitle} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failed error={error} />}
        <Field label={words.email} type="email" autoComplete="off" required value={email} onValue={setEmail} />
        <fieldset class="choices">
          <legend>{words.role}</legend>
          {roles
            .filter((one) => isAtLeast(tenancy.role, one))
            .map((one) => (
              <label class="choice" key={one}>
                <input type="radio" name="role" checked={one === role} onChange={() => setRole(one)} />
                <span class="two-lines">
                  <span>{codes.role[one]}</span>
                  <small class="quiet">{words.rights[one]}</small>
                </span>
              </label>
            ))}
        </fieldset>
        <DialogEnd action={words.send} {...{ busy, onClose }} />
      </form>
    </Dialog>
  );
}
