import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { HereContext } from '../account/use-account.ts';
import { useMe } from '../account/use-me.ts';
import type { TenantPageProps } from '../pages/tenant-page-props.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Empty, Failed, Skeleton } from '../parts/states.tsx';
import { useWords } from '../words/use-words.ts';
import { lastTenant } from './last-tenant.ts';
import { Shell } from './shell.tsx';

interface Props {
  /** From the router; absent in its types where the page is not mounted by it. */
  path?: string;
  params?: Record<string, string>;
  page: ComponentType<TenantPageProps>;
}

/** A page within its tenant, once it is known that the person is a member there. */
export function TenantPage({ params = {}, page: Content }: Props) {
  const me = useMe();
  const { tenant } = useWords();
  const tenancy = me.data?.tenants.find(({ slug }) => slug === params.tenant);
  useEffect(() => {
    if (tenancy) lastTenant.write(tenancy.slug);
  }, [tenancy]);

  if (!me.data) {
    return (
      <Shell>
        <h1 class="visually-hidden">Parley</h1>
        {me.error ? <Failed error={me.error} onAgain={() => void me.refetch()} /> : <Skeleton lines={8} />}
      </Shell>
    );
  }
  if (!tenancy) {
    return (
      <Shell me={me.data}>
        <h1 class="visually-hidden">{tenant.unknown}</h1>
        <Empty title={tenant.unknown}>
          <p class="quiet">{tenant.unknownHow}</p>
        </Empty>
      </Shell>
    );
  }
  const place = JSON.stringify(params);
  return (
    <HereContext.Provider value={{ me: me.data, tenancy }}>
      <Shell me={me.data} tenancy={tenancy}>
        <Boundary key={place}>
          <Content key={place} params={params} />
        </Boundary>
      </Shell>
    </HereContext.Provider>
  );
}
