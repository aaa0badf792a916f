import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AgentChoice, Refusal } from '../../client/shapes.ts';
import { Problem } from '../../design/problem.tsx';
import { chosenAgent } from '../chosen-agent.ts';
import type { Agents } from '../use-agents.ts';
import { Frame } from './frame.tsx';

interface Props {
  agents: Agents;
  /** The choice that was refused, so that it need not be made again. */
  chosenBefore: { agent: AgentChoice; language: string } | undefined;
  refusal: string | undefined;
  onStart(agent: AgentChoice, language: string): void;
  children?: ComponentChildren;
}

export function Chooser({ agents, chosenBefore, refusal, onStart, children }: Props) {
  return (
    <Frame>
      <div class="intro">
        <h1>Try an agent</h1>
        <p>Talk or write to an agent of this installation, and see what it did.</p>
      </div>
      {refusal && <Problem message={refusal} />}
      {agents.refusal && <Refused refusal={agents.refusal} />}
      {agents.status === 'loading' && <p role="status">Looking for agents…</p>}
      {agents.status === 'failed' && (
        <Problem message={agents.problem ?? ''} action="Try again" onAction={agents.reload} />
      )}
      {agents.status === 'known' && agents.list.length === 0 && <NoAgents onReload={agents.reload} />}
      {agents.list.length > 0 && <ChoiceForm list={agents.list} chosenBefore={chosenBefore} onStart={onStart} />}
      {children}
    </Frame>
  );
}

/** For whoever changes agents' files beside this page: why a change is not to be seen. */
function Refused({ refusal: { reasons, reasonsLeftOut } }: { refusal: Refusal }) {
  const shown = reasons.slice(0, 5);
  const more = reasons.length - shown.length + reasonsLeftOut;
  return (
    <section class="problem refused" aria-label="Refused files">
      <p>The agents' files as they are now cannot go live. Here are the last good ones.</p>
      <ul>
        {shown.map(({ file, line, column, message }) => (
          <li key={`${file}:${line}:${column} ${message}`}>
            <code>
              {file}:{line}:{column}
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
      {more > 0 && <p>And {more} more: npx parley agents validate tells them all.</p>}
    </section>
  );
}

function NoAgents({ onReload }: { onReload(): void }) {
  return (
    <div class="card empty">
      <h2>No agent is live yet</h2>
      <p>
        An agent is a YAML file in the folder <code>agents/</code>. Add one, check it with{' '}
        <code>npx parley agents validate</code>, and it appears here.
      </p>
      <button type="button" onClick={onReload}>
        Look again
      </button>
    </div>
  );
}

type FormProps = Pick<Props, 'chosenBefore' | 'onStart'> & { list: readonly AgentChoice[] };

function ChoiceForm({ list, chosenBefore, onStart }: FormProps) {
  const [agentId, setAgentId] = useState(chosenBefore?.agent.agent ?? chosenAgent.read());
  const [wanted, setWanted] = useState(chosenBefore?.language);
  const agent = list.find((one) => one.agent === agentId) ?? list[0];
  if (!agent) return null;
  const language = (agent.languages.find(({ code }) => code === wanted) ?? agent.languages[0])?.code ?? '';

  const choose = (id: string) => {
    setAgentId(id);
    chosenAgent.write(id);
  };
  const start = (event: Event) => {
    event.preventDefault();
    chosenAgent.write(agent.agent);
    onStart(agent, language);
  };

  return (
    <form class="card choice" onSubmit={start}>
      <fieldset>
        <legend>Agent</legend>
        {list.map((one) => (
          <label class="agent-choice" key={one.agent}>
            <input
              type="radio"
              name="agent"
              value={one.agent}
              checked={one === agent}
              onChange={() => choose(one.agent)}
            />
            <span class="agent-name">{one.name}</span>
            <span class="agent-languages">{one.languages.map(({ name }) => name).join(', ')}</span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>Language</span>
        <select value={language} onChange={(event) => setWanted(event.currentTarget.value)}>
          {agent.languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        Start conversation
      </button>
    </form>
  );
}
