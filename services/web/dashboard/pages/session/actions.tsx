import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Change, ScenarioText, SessionShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';

type Asked = 'end' | 'erase' | 'scenario';

/** What can be done about a conversation: end it, write it as a scenario, erase it. */
export function Actions({ session }: { session: SessionShown }) {
  const { tenancy } = useHere();
  const { session: words } = useWords();
  const [asked, setAsked] = useState<Asked>();
  const isOver = session.status === 'ended';
  return (
    <>
      {!isOver && (
        <button type="button" onClick={() => setAsked('end')}>
          {words.end}
        </button>
      )}
      {isOver && isAtLeast(tenancy.role, 'editor') && (
        <button type="button" onClick={() => setAsked('scenario')}>
          {words.asScenario}
        </button>
      )}
      {isAtLeast(tenancy.role, 'admin') && (
        <button type="button" class="danger" onClick={() => setAsked('erase')}>
          {words.erase}
        </button>
      )}
      {asked === 'end' && <EndDialog session={session} onClose={() => setAsked(undefined)} />}
      {asked === 'erase' && <EraseDialog session={session} onClose={() => setAsked(undefined)} />}
      {asked === 'scenario' && <ScenarioDialog session={session} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface Props {
  session: SessionShown;
  onClose(): void;
}

function EndDialog({ session, onClose }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { session: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.endSession(tenancy.id, session.id);
    await queries.invalidateQueries({ queryKey: ['session', tenancy.id, session.id] });
    announce(words.hasEnded);
    onClose();
  };
  return <Confirm title={words.endTitle} how={words.endHow} action={words.end} send={send} onClose={onClose} />;
}

function EraseDialog({ session, onClose }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { session: words } = useWords();
  const { route } = useLocation();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const send = async () => {
    await api.eraseSession(tenancy.id, session.id);
    queries.removeQueries({ queryKey: ['session', tenancy.id, session.id] });
    queries.removeQueries({ queryKey: ['messages', tenancy.id, session.id] });
    await queries.invalidateQueries({ queryKey: ['sessions', tenancy.id] });
    announce(words.erased);
    route(`/t/${tenancy.slug}/sessions`, true);
  };
  return <Confirm title={words.eraseTitle} how={words.eraseHow} action={words.erase} send={send} onClose={onClose} />;
}

/** The conversation as a scenario of its agent, for a commit: what should stay true is tried before each version goes live. */
function ScenarioDialog({ session, onClose }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { session: words, members } = useWords();
  const [made, setMade] = useState<ScenarioText>();
  const { busy, error, submit } = useSubmit(async () => setMade(await api.scenario(tenancy.id, session.id)));
  const [once] = useState(() => crypto.randomUUID());
  const [change, setChange] = useState<Change>();
  const adding = useSubmit(async () => setChange(await api.addScenario(tenancy.id, session.id, once)));
  return (
    <Dialog title={words.asScenario} onClose={onClose}>
      <p>{words.scenarioHow(`agents/scenarios/${session.agent}.yaml`)}</p>
      {error !== undefined && <Failed error={error} />}
      {adding.error !== undefined && <Failed error={adding.error} />}
      {change && (
        <p role="status">
          {words.scenarioAdded(change.state === 'pending')}{' '}
          {change.link && (
            <a href={change.link} target="_blank" rel="noreferrer">
              {change.branch}
            </a>
          )}
        </p>
      )}
      {made && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class="scenario" tabIndex={0}>
          {made.yaml}
        </pre>
      )}
      {made?.notes.map((note) => (
        <p class="quiet" key={note}>
          {note}
        </p>
      ))}
      <div class="actions end">
        {made === undefined ? (
          <button type="button" class="primary" disabled={busy} onClick={() => void submit()}>
            {words.writeScenario}
          </button>
        ) : (
          <>
            <CopyButton text={made.yaml} />
            {!change && (
              <button type="button" disabled={adding.busy} onClick={() => void adding.submit()}>
                {words.addScenario}
              </button>
            )}
            <button type="button" class="primary" onClick={onClose}>
              {members.done}
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}
