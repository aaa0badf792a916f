import type { LauncherParts, Settings, WidgetElement } from '../shapes.ts';
import { inkOn } from './colour.ts';

/**
 * The page's own rules reach the host, not what is in its shadow. `!important` in a shadow wins over the page's `!important`, so a
 * page that unsets everything unsets nothing of it.
 */
const sheetText = `
:host{all:initial!important;direction:ltr!important;unicode-bidi:isolate!important;display:block!important}
:host(:not([data-inline])){position:fixed!important;inset:auto!important;margin:0!important;padding:0!important;border:0!important;width:0!important;height:0!important;overflow:visible!important;z-index:2147483647!important;bottom:0!important;right:0!important;background:none!important;pointer-events:auto!important;color-scheme:normal!important}
:host([data-side=left]:not([data-inline])){right:auto!important;left:0!important}
:host([data-inline]){height:100%!important;min-height:360px!important;position:relative!important}
.launcher{all:initial;box-sizing:border-box;position:fixed;bottom:max(20px,env(safe-area-inset-bottom));right:max(20px,env(safe-area-inset-right));width:56px;height:56px;border-radius:50%;cursor:pointer;background:var(--c);color:var(--i);display:grid;place-items:center;box-shadow:0 1px 6px rgba(0,0,0,.16),0 6px 24px rgba(0,0,0,.22);outline:1px solid rgba(255,255,255,.35);outline-offset:-1px;-webkit-tap-highlight-color:transparent;transition:transform .16s cubic-bezier(.2,.9,.3,1.2)}
:host([data-side=left]) .launcher{right:auto;left:max(20px,env(safe-area-inset-left))}
.launcher:hover{transform:scale(1.06)}.launcher:active{transform:scale(.96)}
.launcher:focus-visible{outline:3px solid #fff;outline-offset:-3px;box-shadow:0 0 0 4px #111,0 6px 24px rgba(0,0,0,.22)}
.launcher svg{width:28px;height:28px;grid-area:1/1;transition:opacity .16s,transform .16s}
.launcher .x{opacity:0;transform:rotate(-45deg)}
.launcher[aria-expanded=true] .x{opacity:1;transform:none}.launcher[aria-expanded=true] .b{opacity:0;transform:scale(.6)}
.launcher[aria-busy=true] .b{animation:p 1s infinite alternate}@keyframes p{to{opacity:.35}}
.failed{all:initial;position:fixed;bottom:88px;right:20px;max-width:260px;padding:10px 14px;border-radius:12px;background:#fff;color:#111;font:14px/1.4 system-ui,sans-serif;box-shadow:0 6px 24px rgba(0,0,0,.22)}
:host([data-side=left]) .failed{right:auto;left:20px}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important}}
@media print{:host{display:none!important}}
@media (forced-colors:active){.launcher{border:2px solid ButtonText}}
`;

const bubble =
  'M12 3.5c-5 0-9 3.3-9 7.4 0 2.3 1.2 4.4 3.1 5.7-.1 1.1-.6 2.2-1.4 3-.3.3-.1.9.4.8 1.9-.1 3.6-.8 4.8-1.7.7.1 1.4.2 2.1.2 5 0 9-3.3 9-7.4s-4-8-9-8Z';
const cross = 'M6 6l12 12M18 6L6 18';

function drawing(path: string, name: string, stroked: boolean): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const attributes = {
    viewBox: '0 0 24 24',
    class: name,
    'aria-hidden': 'true',
    fill: stroked ? 'none' : 'currentColor',
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  line.setAttribute('d', path);
  if (stroked)
    for (const [key, value] of [
      ['stroke', 'currentColor'],
      ['stroke-width', '2'],
      ['stroke-linecap', 'round'],
    ] as const)
      line.setAttribute(key, value);
  svg.append(line);
  return svg;
}

/** The button, in a shadow of its own; not in the page yet. */
export function drawLauncher(host: WidgetElement, inline: boolean): LauncherParts {
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(sheetText);
  root.adoptedStyleSheets = [sheet];
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'launcher';
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-haspopup', 'dialog');
  button.append(drawing(bubble, 'b', false), drawing(cross, 'x', true));
  const parts = { root, button, inline: false };
  if (inline) intoPage(host, parts);
  else root.append(button);
  return parts;
}

/** Without a button: the window itself stands in an element of the page. */
export function intoPage(host: WidgetElement, parts: LauncherParts): void {
  host.dataset.inline = '';
  parts.button.remove();
  parts.inline = true;
}

/** Shows the button as the settings say. */
export function dress(
  host: WidgetElement,
  { button }: LauncherParts,
  { color, position, title }: Settings,
  name: string,
): void {
  // Set as single properties: a page's policy may forbid the attribute `style`.
  host.style.setProperty('--c', color);
  host.style.setProperty('--i', inkOn(color));
  host.dataset.side = position === 'bottom-left' ? 'left' : 'right';
  button.setAttribute('aria-label', title ? `${name}: ${title}` : name);
}

/** Above everything that the page has stacked: the top layer knows no z-index. */
export function raise(host: WidgetElement): void {
  if (typeof host.showPopover !== 'function') return;
  host.popover = 'manual';
  host.showPopover();
}
