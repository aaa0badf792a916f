import type { Request } from 'express';

/** Of the widget's attributes those that a page's address may say: `?theme=dark` is `data-theme="dark"`. */
const passedOn: Readonly<Record<string, string>> = {
  mode: 'mode',
  language: 'language',
  voiceId: 'voice-id',
  position: 'position',
  theme: 'theme',
  color: 'color',
  title: 'title',
  subtitle: 'subtitle',
  greeting: 'greeting',
  open: 'open',
  consent: 'consent',
  target: 'target',
};

/** The widget's tag for a page that we write, with the attributes that its own address says. */
export function widgetTag({ query }: Request, { script, apiKey }: { script: string; apiKey: string }): string {
  const attributes = Object.entries(passedOn).flatMap(([name, attribute]) => {
    const value = query[name];
    return typeof value === 'string' ? [` data-${attribute}="${escaped(value)}"`] : [];
  });
  return `<script src="${escaped(script)}" data-agent-key="${escaped(apiKey)}"${attributes.join('')} async></script>`;
}

/** Text that stands in HTML, also between quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
