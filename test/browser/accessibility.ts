import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Looks at the page as it is now for what a person without a mouse, without sight or with weak sight would stumble over, and
 * says what it found in sentences; an empty list is good. Not a replacement for listening to the page.
 */
export const barriersOn = (page: Page): Promise<string[]> => page.evaluate(findBarriers);

/** Runs in the page, so it may use nothing from outside itself. */
function findBarriers(): string[] {
  const found: string[] = [];
  const describe = (element: Element) =>
    `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> "${element.textContent?.slice(0, 40) ?? ''}"`;
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest('.visually-hidden');

  if (!document.documentElement.lang) found.push('the page says nothing about its language');
  if (!document.title) found.push('the page has no title');
  for (const landmark of ['main', 'h1']) {
    if (all(landmark).length !== 1) found.push(`there are ${all(landmark).length} <${landmark}> instead of one`);
  }

  let level = 0;
  for (const heading of all('h1, h2, h3, h4').filter(isShown)) {
    const next = Number(heading.tagName.slice(1));
    if (next > level + 2 || (level === 0 && next > 1)) found.push(`${describe(heading)} skips levels of headings`);
    level = next;
  }

  const nameOf = (element: HTMLElement): string => {
    const labels = 'labels' in element ? [...((element.labels as NodeListOf<HTMLElement> | null) ?? [])] : [];
    return (
      (element.getAttribute('aria-label') ?? labels.map((label) => label.textContent).join(' ') ?? '').trim() ||
      (element.textContent ?? '').trim()
    );
  };
  for (const control of all('a, button, input, select, textarea, summary')) {
    const ownText = control.matches('a, button, summary');
    const labelled =
      control.hasAttribute('aria-label') ||
      ('labels' in control && (control.labels as NodeListOf<Element>)?.length > 0);
    if (!nameOf(control) || (!ownText && !labelled)) found.push(`${describe(control)} has no name`);
  }
  for (const picture of all('img, svg')) {
    const silent = picture.getAttribute('aria-hidden') === 'true' || picture.getAttribute('alt') === '';
    if (!silent && !picture.hasAttribute('aria-label') && !picture.hasAttribute('alt'))
      found.push(`${describe(picture)} has no words`);
  }
  for (const region of all('*').filter(
    (element) =>
      element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY),
  )) {
    if (region.tabIndex < 0 && !region.querySelector('a, button, summary, [tabindex]'))
      found.push(`${describe(region)} cannot be scrolled by keyboard`);
  }
  const ids = all('[id]').map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index)))
    found.push(`the id ${id} is used twice`);

  const numbers = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = numbers(colour)
      .slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element: Element): string => {
    const colour = getComputedStyle(element).backgroundColor;
    const isSolid = colour.startsWith('rgb(') || numbers(colour)[3] === 1;
    return isSolid || !element.parentElement ? colour : groundOf(element.parentElement);
  };
  const hasOwnText = (element: Element) =>
    element.matches('textarea, select') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
  for (const element of all('body *').filter((one) => isShown(one) && hasOwnText(one) && !one.matches(':disabled'))) {
    const lights = [luminance(getComputedStyle(element).color), luminance(groundOf(element))].sort((a, b) => b - a);
    const ratio = ((lights[0] ?? 0) + 0.05) / ((lights[1] ?? 0) + 0.05);
    if (ratio < 4.5) found.push(`${describe(element)} has a contrast of ${ratio.toFixed(2)}`);
  }
  return found;
}

/** Whether something must be scrolled sideways to be read: the page, or a part of it. */
export const isWiderThanWindow = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main *')]
      .filter((element) => !element.closest('.visually-hidden, svg') && getComputedStyle(element).clipPath === 'none')
      .some((element) => element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1),
  );

/** Whether the person sees where the keyboard is. */
export const showsFocus = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return false;
    const drawn = [focused, focused.closest('label')].filter((element) => element !== null);
    return drawn.some((element) => getComputedStyle(element).outlineStyle !== 'none');
  });

/** What axe-core finds by the rules of WCAG 2.2 AA, in sentences; an empty list is good. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the pages' content security policy allows none but their own.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  );
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}
