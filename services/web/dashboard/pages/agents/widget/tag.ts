import type { Settings } from '../../../../widget/shapes.ts';

/** What is chosen, by the setting's name in the agent's file; what is empty is left to the file. */
export type Chosen = Partial<Record<TagSetting, string>>;
export type TagSetting = Exclude<keyof Settings, 'texts' | 'microphone' | 'challenge'>;

const chosenIn = (chosen: Chosen): [string, string][] =>
  Object.entries(chosen).filter(([, value]) => value.trim() !== '');

const attributeOf = (setting: string): string =>
  `data-${setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const quoted = (text: string): string =>
  `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`;

/** The line for the customer's page. */
export function tagOf({ origin, key, chosen }: { origin: string; key: string; chosen: Chosen }): string {
  const attributes = chosenIn(chosen).map(([setting, value]) => ` ${attributeOf(setting)}=${quoted(value)}`);
  return `<script src="${origin}/widget.js" data-agent-key="${key}"${attributes.join('')} async></script>`;
}

/** The page on which it can be seen. */
export const previewOf = (key: string, chosen: Chosen): string =>
  `/widget-preview?${new URLSearchParams([['key', key], ...chosenIn(chosen)])}`;

/** What a page's Content-Security-Policy has to say. @param rooms where rooms are: wss://… */
export const policyOf = (origin: string, rooms: string): string =>
  `script-src ${origin};\nconnect-src ${origin} ${rooms} ${rooms.replace(/^ws/, 'http')};`;
