import { useMemo, useState } from 'preact/hooks';
import { isAtLeast } from '../../../../../contract/roles.ts';
import type { ConversationWords } from '../../../../client/conversation/conversation.ts';
import { useConversation } from '../../../../client/conversation/use-conversation.ts';
import type { AgentShown } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Empty, Failed } from '../../../parts/states.tsx';
import { refusalInWords, useWords } from '../../../words/use-words.ts';
import type { TenantPageProps } from '../../tenant-page-props.ts';
import { AgentFrame } from '../agent-frame.tsx';
import { Talk } from './talk.tsx';
import { testApi } from './test-api.ts';

/** The page on which an agent is tried: a conversation that is marked as a test, by text and by voice. */
export function ConsolePage({ params: { agent = '' } }: TenantPageProps) {
  return <AgentFrame agent={agent}>{(shown) => <Permitted shown={shown} />}</AgentFrame>;
}

function Permitted({ shown }: { shown: AgentShown }) {
  const { tenancy } = useHere();
  const { test, agents } = useWords();
  if (!isAtLeast(tenancy.role, 'editor')) return <Empty title={test.notYours}>{test.notYoursHow}</Empty>;
  if (shown.state !== 'live') return <Empty title={agents.states[shown.state]}>{test.notLive}</Empty>;
  return <Console shown={shown} />;
}

function Console({ shown }: { shown: AgentShown }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const words = useWords();
  const tests = useMemo(() => testApi(api, tenancy.id), [api, tenancy.id]);
  const said = useMemo(
    (): ConversationWords => ({
      noMicrophone: (why) => words.test.microphone[why],
      notReached: words.test.notReached,
      refusal: (error) => refusalInWords(error, words),
    }),
    [words],
  );
  const { state, held, begin } = useConversation(tests, said);
  const [language, setLanguage] = useState(shown.defaultLanguage);
  const [webhook, setWebhook] = useState(false);
  const start = () => begin({ agent: shown.agent, webhook }, language);
  if (state && state.phase !== 'refused')
    return <Talk shown={shown} state={state} held={held} onAgain={() => begin(state.agent, state.language)} />;
  return (
    <section class="card form" aria-labelledby="begin">
      <h2 id="begin">{words.test.begin}</h2>
      <p class="quiet">{words.test.intro}</p>
      {state?.problem && <Failed error={new Error(state.problem)} />}
      <label class="filter">
        <span>{words.sessions.language}</span>
        <select value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
          {shown.languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {shown.hasWebhook && (
        <label class="tick-box">
          <input type="checkbox" checked={webhook} onChange={(event) => setWebhook(event.currentTarget.checked)} />
          {words.test.webhook}
        </label>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={start}>
          {words.test.start}
        </button>
      </div>
    </section>
  );
}
