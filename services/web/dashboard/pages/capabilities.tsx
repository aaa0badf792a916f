import { useQuery } from '@tanstack/preact-query';
import type { Capability } from '../account/account-api.ts';
import { useAccount } from '../account/use-account.ts';
import { Badge } from '../parts/badge.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Skeleton } from '../parts/states.tsx';
import { named, useWords } from '../words/use-words.ts';

/** What `GET /api/capabilities` says, group by group, whatever the groups of this version are. */
export function CapabilitiesPage() {
  const { api } = useAccount();
  const { health } = useWords();
  const { data, error, refetch } = useQuery({ queryKey: ['capabilities'], queryFn: api.capabilities });
  return (
    <Page title={health.title} intro={health.intro}>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <div class="cards">
          {Object.entries(data).map(([group, value]) => (
            <section class="card" key={group} aria-labelledby={`group-${group}`}>
              <h2 id={`group-${group}`}>{named(health.groups, group)}</h2>
              <Facts value={value} />
            </section>
          ))}
        </div>
      )}
    </Page>
  );
}

function Facts({ value }: { value: unknown }) {
  const { health } = useWords();
  if (isCapability(value)) return <Told capability={value} />;
  if (typeof value !== 'object' || value === null) return <p>{String(value)}</p>;
  return (
    <dl class="facts">
      {Object.entries(value).map(([name, fact]) => (
        <div key={name}>
          <dt>{inWords(name)}</dt>
          <dd>{isCapability(fact) ? <Told capability={fact} /> : <Plain value={fact} none={health.missing} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Told({ capability: { available, how } }: { capability: Capability }) {
  const { health } = useWords();
  return (
    <>
      <Badge tone={available ? 'good' : 'plain'}>{available ? health.available : health.missing}</Badge>
      {how && <p class="quiet">{how}</p>}
    </>
  );
}

function Plain({ value, none }: { value: unknown; none: string }) {
  if (Array.isArray(value)) return <>{value.length > 0 ? value.map(String).join(', ') : none}</>;
  if (typeof value === 'object' && value !== null) return <Facts value={value} />;
  return <>{String(value)}</>;
}

const isCapability = (value: unknown): value is Capability =>
  typeof value === 'object' && value !== null && 'available' in value && typeof value.available === 'boolean';

/** `requestsPerMinute` reads "Requests per minute". */
const inWords = (name: string): string => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
