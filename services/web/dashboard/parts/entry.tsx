import type { ComponentChildren } from 'preact';
import { Mark } from '../shell/shell.tsx';
import { useTitle } from './page.tsx';

interface Props {
  title: string;
  intro: string;
  children: ComponentChildren;
}

/** A page before one is anywhere: signing in, accepting an invitation. */
export function Entry({ title, intro, children }: Props) {
  useTitle(title);
  return (
    <main class="entry">
      <p class="brand">
        <Mark />
        Parley
      </p>
      <div class="card">
        <h1>{title}</h1>
        <p class="quiet">{intro}</p>
        {children}
      </div>
    </main>
  );
}
