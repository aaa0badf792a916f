import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Hears the keys that are pressed in an element, which itself is no control. */
export function useKeys(element: RefObject<HTMLElement | null>, press: (event: KeyboardEvent) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const box = element.current;
    const hear = (event: KeyboardEvent) => latest.current(event);
    box?.addEventListener('keydown', hear);
    return () => box?.removeEventListener('keydown', hear);
  });
}

const reachable = 'a[href],button:not(:disabled),textarea,select,[tabindex="0"]';

/** Tab goes round in the open window; Escape leaves it. */
export function trapFocus(event: KeyboardEvent, panel: HTMLElement | null): void {
  if (!panel) return;
  const all = [...panel.querySelectorAll<HTMLElement>(reachable)].filter((element) => element.checkVisibility());
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return;
  const { activeElement } = panel.getRootNode() as ShadowRoot;
  if (event.shiftKey && (activeElement === first || activeElement === panel)) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && activeElement === last) {
    event.preventDefault();
    first.focus();
  }
}
