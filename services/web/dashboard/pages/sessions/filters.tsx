import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { endReasons } from '../../../../contract/end-reasons.ts';
import { outcomes, sentiments } from '../../../../contract/session.ts';
import { type SessionFilter, sessionFilters } from '../../account/account-api.ts';
import { FilterChoice, type FilterProps } from '../../parts/filter-choice.tsx';
import { useWords } from '../../words/use-words.ts';

/** What the address asks for: so a list can be kept, sent on, and come back to. */
export function filterOf(query: Record<string, string>): SessionFilter {
  return Object.fromEntries(sessionFilters.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

/** @param agents that are known, to choose from */
export function Filters({ filter, agents }: { filter: SessionFilter; agents: readonly string[] }) {
  const { sessions, session, codes } = useWords();
  const { path, route } = useLocation();
  const set = (name: string, value: string) => {
    const kept = Object.entries(filter).filter(([other, text]) => other !== name && text) as [string, string][];
    const next = new URLSearchParams(value ? [...kept, [name, value]] : kept).toString();
    route(next ? `${path}?${next}` : path);
  };
  const statuses = Object.entries(codes.status);
  const isOpen = Object.keys(filter).length > 0 || !isNarrow();
  return (
    <details class="filter-box" open={isOpen}>
      <summary>{sessions.filters}</summary>
      <form class="filters" aria-label={sessions.filters} onSubmit={(event) => event.preventDefault()}>
        <Search value={filter.words} onValue={(value) => set('words', value)} />
        <FilterChoice
          name={sessions.agent}
          value={filter.agent}
          options={agents.map((agent) => [agent, agent])}
          onValue={(value) => set('agent', value)}
        />
        <FilterChoice
          name={sessions.status}
          value={filter.status}
          options={statuses}
          onValue={(value) => set('status', value)}
        />
        <FilterChoice
          name={sessions.outcome}
          value={filter.outcome}
          options={outcomes.map((outcome) => [outcome, codes.outcome[outcome]])}
          onValue={(value) => set('outcome', value)}
        />
        <FilterChoice
          name={sessions.channel}
          value={filter.channel}
          options={Object.entries(codes.channel)}
          onValue={(value) => set('channel', value)}
        />
        <FilterChoice
          name={session.sentiment}
          value={filter.sentiment}
          options={sentiments.map((sentiment) => [sentiment, codes.sentiment[sentiment]])}
          onValue={(value) => set('sentiment', value)}
        />
        <FilterChoice
          name={session.ended}
          value={filter.endReason}
          options={endReasons.map((reason) => [reason, codes.endReason[reason]])}
          onValue={(value) => set('endReason', value)}
        />
        <FilterChoice
          name={session.tools}
          value={filter.toolFailed}
          options={[['true', sessions.oneFailed]]}
          onValue={(value) => set('toolFailed', value)}
        />
        <Day name={sessions.from} value={filter.from} onValue={(value) => set('from', value)} />
        <Day name={sessions.to} value={filter.to} onValue={(value) => set('to', value)} />
        {Object.keys(filter).length > 0 && (
          <a class="clear" href={path}>
            {sessions.clear}
          </a>
        )}
      </form>
    </details>
  );
}

/** On a phone they would fill the window: they unfold. */
const isNarrow = () => matchMedia('(max-width: 52rem)').matches;

/** Words that were said, in the text of the last 90 days: looked for when they are whole. */
function Search({ value = '', onValue }: Pick<FilterProps, 'value' | 'onValue'>) {
  const { sessions } = useWords();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const look = (wanted: string) => {
    if (wanted.trim() !== value) onValue(wanted.trim());
  };
  return (
    <label class="filter search">
      <span>{sessions.words}</span>
      <input
        type="search"
        value={text}
        maxLength={200}
        placeholder={sessions.wordsHint}
        onInput={(event) => {
          setText(event.currentTarget.value);
          if (event.currentTarget.value === '') look('');
        }}
        onKeyDown={(event) => event.key === 'Enter' && look(text)}
        onBlur={() => look(text)}
      />
    </label>
  );
}

/** Begins and ends with the person's midnight; the address has the moment. */
function Day({ name, value, onValue }: Pick<FilterProps, 'name' | 'value' | 'onValue'>) {
  const change = (day: string) => onValue(day && new Date(`${day}T00:00:00`).toISOString());
  return (
    <label class="filter">
      <span>{name}</span>
      <input type="date" value={value ? localDay(value) : ''} onChange={(event) => change(event.currentTarget.value)} />
    </label>
  );
}

const localDay = (iso: string): string => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime())
    ? ''
    : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
};
