import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast, type Role, roles } from '../../../contract/roles.ts';
import type { Invited, Member } from '../account/account-api.ts';
import { useAccount, useHere } from '../account/use-account.ts';
import { useAnnounce } from '../parts/announcements.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import { refusalInWords, useFormats, useWords } from '../words/use-words.ts';
import { InviteDialog } from './invite-dialog.tsx';

export function MembersPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { members: words } = useWords();
  const [inviting, setInviting] = useState(false);
  const key = ['members', tenancy.id];
  const list = useQuery({ queryKey: key, queryFn: () => api.members(tenancy.id) });
  const manages = isAtLeast(tenancy.role, 'admin');

  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={
        manages && (
          <button type="button" class="primary" onClick={() => setInviting(true)}>
            {words.invite}
          </button>
        )
      }
    >
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {!list.data && !list.error && <Skeleton />}
      {list.data && <MemberTable items={list.data.items} manages={manages} />}
      {list.data?.invited && list.data.invited.length > 0 && <InvitedTable invited={list.data.invited} />}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Page>
  );
}

/** Changes the list, says what came of it, and reads it anew. */
function useChange<Given>(change: (given: Given) => Promise<unknown>, said: (given: Given) => string) {
  const { tenancy } = useHere();
  const words = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: change,
    onSuccess: (_done, given) => announce(said(given)),
    onError: (error) => announce(refusalInWords(error, words)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['members', tenancy.id] }),
  });
}

function MemberTable({ items, manages }: { items: Member[]; manages: boolean }) {
  const { members: words } = useWords();
  return (
    <div class="table-box">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{words.person}</th>
            <th scope="col">{words.role}</th>
            <th scope="col" class="wide-only">
              {words.since}
            </th>
            {manages && (
              <th scope="col">
                <span class="visually-hidden">{words.remove}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((member) => (
            <MemberRow key={member.id} member={member} manages={manages} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MemberRow({ member, manages }: { member: Member; manages: boolean }) {
  const { api } = useAccount();
  const { me, tenancy } = useHere();
  const { members: words, codes } = useWords();
  const { day } = useFormats();
  const [asking, setAsking] = useState(false);
  const changeRole = useChange(
    (role: Role) => api.changeRole(tenancy.id, member, role),
    (role) => words.changed(member.name, codes.role[role]),
  );
  // Nobody gives a role above their own, nor changes somebody who has one.
  const mayChange = manages && isAtLeast(tenancy.role, member.role);
  return (
    <tr>
      <th scope="row">
        <span class="two-lines">
          <span>
            {member.name}
            {member.id === me.person.id && <span class="quiet"> ({words.you})</span>}
          </span>
          <small class="quiet">{member.email}</small>
        </span>
      </th>
      <td>
        {mayChange ? (
          <select
            aria-label={words.roleOf(member.name)}
            value={member.role}
            disabled={changeRole.isPending}
            onChange={(event) => changeRole.mutate(event.currentTarget.value as Role)}
          >
            {roles
              .filter((role) => isAtLeast(tenancy.role, role))
              .map((role) => (
                <option key={role} value={role}>
                  {codes.role[role]}
                </option>
              ))}
          </select>
        ) : (
          codes.role[member.role]
        )}
      </td>
      <td class="wide-only">{day(member.since)}</td>
      {manages && (
        <td class="figure">
          {mayChange && (
            <button type="button" class="small-button" onClick={() => setAsking(true)}>
              {words.remove}
            </button>
          )}
          {asking && <RemoveDialog member={member} onClose={() => setAsking(false)} />}
        </td>
      )}
    </tr>
  );
}

function RemoveDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { members: words } = useWords();
  const remove = useChange(
    () => api.removeMember(tenancy.id, member),
    () => words.removed(member.name),
  );
  return (
    <Dialog title={words.removeTitle(member.name)} onClose={onClose}>
      <p>{words.removeHow}</p>
      <div class="actions end">
        <button type="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button
          type="button"
          class="danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate(undefined, { onSettled: onClose })}
        >
          {words.remove}
        </button>
      </div>
    </Dialog>
  );
}

function InvitedTable({ invited }: { invited: Invited[] }) {
  const { members: words } = useWords();
  return (
    <section aria-labelledby="invited">
      <h2 id="invited">{words.invited}</h2>
      <div class="table-box">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">{words.email}</th>
              <th scope="col">{words.role}</th>
              <th scope="col" class="wide-only">
                {words.expires}
              </th>
              <th scope="col">
                <span class="visually-hidden">{words.withdraw}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {invited.map((one) => (
              <InvitedRow key={one.id} invited={one} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function InvitedRow({ invited }: { invited: Invited }) {
  const { email, role, expiresAt } = invited;
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { members: words, codes } = useWords();
  const withdraw = useChange(
    () => api.removeMember(tenancy.id, invited),
    () => words.withdrawn(email),
  );
  return (
    <tr>
      <th scope="row">{email}</th>
      <td>{codes.role[role]}</td>
      <td class="wide-only">
        <When at={expiresAt} />
      </td>
      <td class="figure">
        {isAtLeast(tenancy.role, role) && (
          <button
            type="button"
            class="small-button"
            disabled={withdraw.isPending}
            onClick={() => withdraw.mutate(undefined)}
          >
            {words.withdraw}
          </button>
        )}
      </td>
    </tr>
  );
}
