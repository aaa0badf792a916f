import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  intro?: string;
  /** What can be done here, beside the title. */
  actions?: ComponentChildren;
  /** The page that this one belongs to: a link above the title. */
  back?: { path: string; title: string };
  children: ComponentChildren;
}

/** A page of the dashboard: its title is the window's, and takes the focus when one comes to it. */
export function Page({ title, intro, actions, back, children }: Props) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          {back && (
            <a class="back" href={back.path}>
              {back.title}
            </a>
          )}
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
