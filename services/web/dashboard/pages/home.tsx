import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useMe } from '../account/use-me.ts';
import { Failed, Skeleton } from '../parts/states.tsx';
import { lastTenant } from '../shell/last-tenant.ts';
import { useWords } from '../words/use-words.ts';

/** `/`: on to the tenant where the person was last. */
export function Home() {
  const me = useMe();
  const { route } = useLocation();
  const { tenant } = useWords();
  const tenants = me.data?.tenants;
  const chosen = tenants?.find(({ slug }) => slug === lastTenant.read()) ?? tenants?.[0];
  useEffect(() => {
    if (chosen) route(`/t/${chosen.slug}`, true);
  }, [chosen, route]);

  return (
    <main class="alone">
      {tenants?.length === 0 ? (
        <>
          <h1>{tenant.none}</h1>
          <p class="quiet">{tenant.noneHow}</p>
        </>
      ) : (
        <>
          <h1 class="visually-hidden">Parley</h1>
          {me.error ? <Failed error={me.error} onAgain={() => void me.refetch()} /> : <Skeleton />}
        </>
      )}
    </main>
  );
}
