import { useLocation } from 'preact-iso';

/** Pages that belong together, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: { href: string; name: string }[] }) {
  const { path } = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ href, name }) => (
          <li key={href}>
            <a href={href} {...(path === href ? { 'aria-current': 'page' } : {})}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
