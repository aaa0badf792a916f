/** Whether the page has left the language as it is: libraries of long ago replace what everything here builds on. */
export function nativesWork(): boolean {
  try {
    return (
      JSON.stringify({ list: [[1]] }) === '{"list":[[1]]}' &&
      [...new Map([[1, 2]]).entries()].length === 1 &&
      Array.from(new Set([1, 2])).length === 2 &&
      [...[5].entries()][0]?.[0] === 0 &&
      typeof fetch === 'function' &&
      typeof Element.prototype.attachShadow === 'function' &&
      'adoptedStyleSheets' in document &&
      typeof CSSStyleSheet.prototype.replaceSync === 'function'
    );
  } catch {
    return false;
  }
}
