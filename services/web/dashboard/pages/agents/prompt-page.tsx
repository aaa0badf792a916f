import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { AgentShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Fact } from '../../parts/fact.tsx';
import { When } from '../../parts/when.tsx';
import { useFormats, useWords } from '../../words/use-words.ts';
import type { TenantPageProps } from '../tenant-page-props.ts';
import { AgentFrame } from './agent-frame.tsx';
import { Changes } from './changes.tsx';

export function PromptPage({ params: { agent = '' } }: TenantPageProps) {
  const { agents } = useWords();
  const { number } = useFormats();
  return (
    <AgentFrame agent={agent}>
      {(shown) => (
        <>
          <dl class="figures">
            <Fact name={agents.version}>
              <code>{shown.version}</code>
            </Fact>
            {shown.commit && (
              <Fact name={agents.commit}>
                <code>{shown.commit.slice(0, 12)}</code>
              </Fact>
            )}
            <Fact name={agents.activated}>
              <When at={shown.activatedAt} />
            </Fact>
            <Fact name={agents.model}>{[shown.model.provider, shown.model.name].filter(Boolean).join(' · ')}</Fact>
            <Fact name={agents.tokens}>{agents.about(number(shown.instructionTokens))}</Fact>
          </dl>
          <div class="columns">
            <Instructions shown={shown} />
            <div class="stack">
              <Languages shown={shown} />
              <Tools shown={shown} />
              <Changes agent={shown.agent} />
            </div>
          </div>
        </>
      )}
    </AgentFrame>
  );
}

/** The prompt as it is in the file, or as the model is told it in a language: with knowledge and the time in it. */
function Instructions({ shown }: { shown: AgentShown }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents } = useWords();
  const [language, setLanguage] = useState('');
  const compiled = useQuery({
    queryKey: ['agent', tenancy.id, shown.agent, language],
    queryFn: () => api.agent(tenancy.id, shown.agent, language),
    enabled: language !== '',
  });
  const text = language === '' ? shown.prompt : compiled.data?.instructions.text;
  return (
    <section class="card" aria-labelledby="prompt">
      <div class="card-head">
        <h2 id="prompt">{language === '' ? agents.prompt : agents.instructions}</h2>
        <select
          aria-label={agents.shownAs}
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
        >
          <option value="">{agents.asWritten}</option>
          {shown.languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {agents.asTold(name)}
            </option>
          ))}
        </select>
        {text && <CopyButton text={text} label={agents.copyPrompt} />}
      </div>
      <pre class="prompt">{text ?? '…'}</pre>
      <Editing shown={shown} />
    </section>
  );
}

/** The way to change it; where there is none, why, and what to do about that. */
function Editing({ shown: { agent, source, file } }: { shown: AgentShown }) {
  const { tenancy } = useHere();
  const { agents, editor } = useWords();
  const mayWrite = isAtLeast(tenancy.role, 'editor') && typeof file?.prompt === 'string';
  if (mayWrite && source && source.writing !== 'read_only')
    return (
      <a class="button" href={`/t/${tenancy.slug}/agents/${agent}/edit`}>
        {editor.edit}
      </a>
    );
  return (
    <>
      <p class="hint">{agents.changeInGit(`agents/${agent}.yaml`)}</p>
      {source?.writing === 'read_only' && source.how && <p class="hint">{source.how}</p>}
    </>
  );
}

function Languages({ shown }: { shown: AgentShown }) {
  const { agents } = useWords();
  return (
    <section class="card" aria-labelledby="languages">
      <h2 id="languages">{agents.languages}</h2>
      <dl class="facts">
        {shown.languages.map(({ code, name, voices }) => (
          <div key={code}>
            <dt>
              {name} <code>{code}</code>
            </dt>
            <dd class="quiet">{voices.length > 0 ? voices.map((voice) => voice.name).join(', ') : agents.noVoices}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Tools({ shown }: { shown: AgentShown }) {
  const { agents } = useWords();
  return (
    <section class="card" aria-labelledby="tools">
      <h2 id="tools">{agents.tools}</h2>
      {shown.tools.length === 0 && <p class="quiet">{agents.noTools}</p>}
      <dl class="facts">
        {shown.tools.map(({ name, description, kind }) => (
          <div key={name}>
            <dt>
              <code>{name}</code> <span class="quiet">{agents.toolKinds[kind]}</span>
            </dt>
            <dd class="quiet">{description}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
