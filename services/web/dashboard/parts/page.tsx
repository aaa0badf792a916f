import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  intro?: string;
  /** What can be done here, beside the title. */
  actions?: ComponentChildren;
  /** Above the title: where one came from. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

/** A page of the dashboard: its title is the window's, and takes the focus when one comes to it. */
export function Page({ title, intro, actions, above, children }: Props) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          {above}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro && <p class="quiet">{intro}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
}
