import type { ComponentChildren } from 'preact';

/** One line of a list of facts (`<dl>`). */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
