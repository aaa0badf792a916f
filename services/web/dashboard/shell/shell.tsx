import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Me, Tenancy } from '../account/account-api.ts';
import { useWords } from '../words/use-words.ts';
import { Navigation } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import { TenantSwitch } from './tenant-switch.tsx';

interface Props {
  me?: Me;
  tenancy?: Tenancy;
  children: ComponentChildren;
}

/** What stands around every page: where one is, where one can go, who one is. On a phone it opens from a button. */
export function Shell({ me, tenancy, children }: Props) {
  const { nav } = useWords();
  const { path } = useLocation();
  const [open, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!open) return;
    const closeByEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      toggle.current?.focus();
    };
    addEventListener('keydown', closeByEscape);
    return () => removeEventListener('keydown', closeByEscape);
  }, [open]);

  return (
    <div class="shell">
      <a class="skip" href="#content">
        {nav.skip}
      </a>
      <header class="side" data-open={open}>
        <div class="side-head">
          <a class="brand" href={tenancy ? `/t/${tenancy.slug}` : '/'}>
            <Mark />
            Parley
          </a>
          <button
            ref={toggle}
            type="button"
            class="quiet-button nav-toggle"
            aria-expanded={open}
            aria-controls="side"
            onClick={() => setOpen(!open)}
          >
            {nav.open}
          </button>
        </div>
        <div class="side-body" id="side">
          {me && tenancy && <TenantSwitch tenants={me.tenants} here={tenancy} />}
          {tenancy && <Navigation tenancy={tenancy} />}
          {me && <PersonMenu person={me.person} />}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M7 4h18a4 4 0 0 1 4 4v11a4 4 0 0 1-4 4H15l-7 6v-6H7a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z" />
    <circle cx="10.5" cy="13.5" r="2" />
    <circle cx="16" cy="13.5" r="2" />
    <circle cx="21.5" cy="13.5" r="2" />
  </svg>
);
