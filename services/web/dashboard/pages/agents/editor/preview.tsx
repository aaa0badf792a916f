import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { AgentShown } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { useFormats, useWords } from '../../../words/use-words.ts';

/** A text that is still being typed is not asked about. */
const settledMs = 500;

/** What a text would become: what is wrong with it, what it costs each turn, and what the model is told in a language. */
export function Preview({ shown, text }: { shown: AgentShown; text: string }) {
  const { agents, editor } = useWords();
  const { number } = useFormats();
  const [language, setLanguage] = useState(shown.defaultLanguage);
  const { data, error, refetch } = usePreview(shown.agent, useSettled(text), language);
  return (
    <div class="stack">
      <section class="card" aria-labelledby="checks">
        <h2 id="checks">{editor.checks}</h2>
        {error && <Failed error={error} onAgain={() => void refetch()} />}
        <div aria-live="polite">
          {data && data.faults.length === 0 && <p>{editor.noFaults}</p>}
          {data && data.faults.length > 0 && (
            <ul class="faults">
              {data.faults.map(({ message }) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          )}
          {data && <p class="quiet">{editor.tokens(number(data.instructionTokens), number(data.liveTokens))}</p>}
        </div>
        <p class="hint">{editor.checksHow}</p>
      </section>
      <section class="card" aria-labelledby="compiled">
        <div class="card-head">
          <h2 id="compiled">{agents.instructions}</h2>
          <select
            aria-label={agents.shownAs}
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          >
            {shown.languages.map(({ code, name }) => (
              <option key={code} value={code}>
                {agents.asTold(name)}
              </option>
            ))}
          </select>
        </div>
        {data ? <pre class="prompt">{data.instructions.text}</pre> : <Skeleton lines={8} />}
      </section>
    </div>
  );
}

/** What a prompt of an agent would become. @param language its default one where it is undefined */
export function usePreview(agent: string, prompt: string, language?: string) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  return useQuery({
    queryKey: ['preview', tenancy.id, agent, language, prompt],
    queryFn: () => api.previewPrompt(tenancy.id, agent, { prompt, ...(language ? { language } : {}) }),
    placeholderData: keepPreviousData,
  });
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
