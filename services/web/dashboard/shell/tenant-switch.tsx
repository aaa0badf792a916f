import { useLocation } from 'preact-iso';
import type { Tenancy } from '../account/account-api.ts';
import { Menu } from '../parts/menu.tsx';
import { useWords } from '../words/use-words.ts';
import { icons } from './icons.tsx';

/** Which tenant this is; with several, the way to another. */
export function TenantSwitch({ tenants, here }: { tenants: Tenancy[]; here: Tenancy }) {
  const { tenant, codes } = useWords();
  const { route } = useLocation();
  const shown = (
    <span class="who">
      {icons.tenant}
      <span class="who-text">
        <strong>{here.name}</strong>
        <small>{codes.role[here.role]}</small>
      </span>
    </span>
  );
  if (tenants.length < 2) return <div class="menu-trigger still">{shown}</div>;
  const items = tenants.map(({ slug, name }) => ({ value: slug, name, chosen: slug === here.slug }));
  return (
    <Menu label={tenant.menu} groups={[{ items }]} onSelect={(slug) => route(`/t/${slug}`)}>
      {shown}
      {icons.choose}
    </Menu>
  );
}
