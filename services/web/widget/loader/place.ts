/**
 * Puts the element into the page: beside the body, which single-page applications replace, or into the element that the selector names, as soon as
 * that is there and again when the page has drawn it anew.
 */
export function place(host: HTMLElement, target: string | undefined, placed: () => void): void {
  if (target === undefined) {
    document.documentElement.append(host);
    return placed();
  }
  const settle = () => {
    if (host.isConnected) return;
    const found = find(target);
    if (!found) return;
    found.append(host);
    placed();
  };
  settle();
  new MutationObserver(settle).observe(document.documentElement, { childList: true, subtree: true });
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return null;
  }
}
