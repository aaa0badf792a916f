import type { ComponentChildren } from 'preact';

/** The page around each view. `fill`: as high as the window, for a conversation that scrolls inside. */
export function Frame({
  fill = false,
  wide = false,
  children,
}: {
  fill?: boolean;
  wide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`frame${fill ? ' fill' : ''}${wide ? ' wide' : ''}`}>
      <header class="masthead">
        <span class="brand">Parley</span>
        <span class="brand-note">Try-it page, for development</span>
      </header>
      <main>{children}</main>
    </div>
  );
}
