import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { AgentShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Page } from '../../parts/page.tsx';
import { Failed, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useWords } from '../../words/use-words.ts';
import { capInWords } from '../overview/attention.tsx';
import { AgentStateBadge } from './agents-page.tsx';
import { Places } from './refused.tsx';

interface Props {
  /** Its id. */
  agent: string;
  children(shown: AgentShown): ComponentChildren;
}

/** What stands around each page of an agent: its name and state, and the way to its other pages. */
export function AgentFrame({ agent, children }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { agents, test, widget } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['agent', tenancy.id, agent],
    queryFn: () => api.agent(tenancy.id, agent),
  });
  const list = `/t/${tenancy.slug}/agents`;
  const base = `${list}/${agent}`;
  const tabs = [
    { href: base, name: agents.prompt },
    { href: `${base}/test`, name: test.tab },
    { href: `${base}/widget`, name: widget.tab },
    { href: `${base}/versions`, name: agents.versions },
    { href: `${base}/credentials`, name: agents.credentials },
  ];
  return (
    <Page
      title={data?.name ?? agent}
      back={{ path: list, title: agents.title }}
      actions={data && <AgentStateBadge agent={data} />}
    >
      <Tabs label={data?.name ?? agent} tabs={tabs} />
      {data && data.refused.length > 0 && (
        <section class="problem refused" aria-label={agents.changeRefused}>
          <p>{agents.ownRefused}</p>
          <Places places={data.refused} />
        </section>
      )}
      {data && data.missingKeys.length > 0 && (
        <section class="problem refused" aria-label={agents.missingKeys}>
          <p>{agents.missingKeysHow}</p>
          <ul class="places">
            {data.missingKeys.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
      )}
      {data?.challenge?.missing && (
        <section class="problem refused" aria-label={agents.challengeMissing}>
          <p>{agents.challengeMissingHow(data.challenge.missing)}</p>
        </section>
      )}
      {data && data.capsNear.length > 0 && (
        <ul class="problem refused places">
          {data.capsNear.map((cap) => (
            <li key={cap.of + cap.cap}>{capInWords(cap, agents.caps, cap.of === 'agent' ? data.name : undefined)}</li>
          ))}
        </ul>
      )}
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton lines={10} />}
      {data && children(data)}
    </Page>
  );
}
