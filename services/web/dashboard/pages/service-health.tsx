import { useQuery } from '@tanstack/preact-query';
import type { HealthShown } from '../account/account-api.ts';
import { useAccount, useHere } from '../account/use-account.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Fact } from '../parts/fact.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import { named, useWords } from '../words/use-words.ts';

type Part = HealthShown['parts'][number];

/** While the page is open it looks again so often. */
const everyMs = 10_000;

const tones: Record<Part['state'], Tone> = { ok: 'good', down: 'bad', full: 'bad', unknown: 'plain' };

/** Whether the parts of the installation are there, and what to do about what is not. */
export function ServiceHealthPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { serviceHealth: words } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['health', tenancy.id],
    queryFn: () => api.health(tenancy.id),
    refetchInterval: everyMs,
  });
  return (
    <Page title={words.title} intro={words.intro}>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <p>
            <span role="status">
              <Badge tone={data.status === 'ok' ? 'good' : 'bad'}>
                {data.status === 'ok' ? words.allWell : words.notAll}
              </Badge>
            </span>{' '}
            <span class="quiet">
              {words.checked} <When at={data.checkedAt} />
            </span>
          </p>
          <div class="cards">
            {data.parts.map((part) => (
              <PartCard key={part.part} part={part} />
            ))}
            {data.releases && <Releases releases={data.releases} />}
          </div>
        </>
      )}
    </Page>
  );
}

type Release = NonNullable<HealthShown['releases']>[number];

/** For whoever runs the installation. */
function Releases({ releases }: { releases: readonly Release[] }) {
  const { releases: words } = useWords().serviceHealth;
  return (
    <section class="card" aria-labelledby="releases">
      <div class="card-head">
        <h2 id="releases">{words.title}</h2>
      </div>
      <p class="quiet">{releases.length > 0 ? words.intro : words.none}</p>
      {releases.length > 0 && (
        <dl class="facts">
          {releases.map(({ process, release, running }) => (
            <Fact key={`${process} ${release}`} name={words.processes[process]}>
              <code title={release}>{short(release)}</code> {words.running(running)}
            </Fact>
          ))}
        </dl>
      )}
    </section>
  );
}

/** As much of a digest or a commit as people compare. */
const short = (release: string): string => release.replace(/^sha256:/, '').slice(0, 20);

function PartCard({ part: { part, state, how, figures } }: { part: Part }) {
  const { serviceHealth: words } = useWords();
  const id = `part-${part}`;
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{named(words.parts, part)}</h2>
        <Badge tone={tones[state] ?? 'plain'}>{words.states[state] ?? state}</Badge>
      </div>
      <p class="quiet">{words.does[part]}</p>
      {state === 'down' && <p>{words.down[part] ?? how}</p>}
      {state === 'full' && <p>{words.full}</p>}
      {state === 'unknown' && <p>{words.unknown}</p>}
      {figures && (
        <dl class="facts">
          {Object.entries(figures).map(([name, value]) => (
            <Fact key={name} name={named(words.figures, name)}>
              {value}
            </Fact>
          ))}
        </dl>
      )}
    </section>
  );
}
