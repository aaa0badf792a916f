import type { ToldWidgetSettings } from '../../../contract/widget.ts';
import type { Settings, TagSetting } from '../shapes.ts';

/** The attributes of the tag that change how the widget is, and what each may be. `npm run generate` reads the names. */
const oneOf =
  (...allowed: string[]) =>
  (text: string) =>
    allowed.includes(text) ? { value: text } : { allowed: allowed.join(', ') };
const shaped = (pattern: RegExp, allowed: string) => (text: string) =>
  pattern.test(text) ? { value: text } : { allowed };
const text = (longest: number) => (given: string) =>
  given.length <= longest ? { value: given } : { allowed: `a text of at most ${longest} characters` };
const localized = (longest: number) => (given: string) => {
  const { value, allowed } = text(longest)(given);
  return allowed === undefined ? { value: { '*': value } } : { allowed };
};

type Read = (text: string) => { value?: unknown; allowed?: string };

export const attributes: Record<TagSetting, Read> = {
  mode: oneOf('text', 'voice', 'both'),
  language: shaped(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language code such as en or pt-BR'),
  voiceId: shaped(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "the id of one of the agent's voices"),
  position: oneOf('bottom-right', 'bottom-left'),
  theme: oneOf('auto', 'light', 'dark'),
  color: shaped(/^#[0-9A-Fa-f]{6}$/, 'a colour such as #1f5fbf'),
  title: text(60),
  subtitle: text(120),
  greeting: localized(1000),
  open: (given) => {
    const { allowed } = oneOf('', 'true', 'false')(given);
    return allowed === undefined ? { value: given !== 'false' } : { allowed: 'true, false' };
  },
  consent: localized(1000),
  target: text(200),
};

/** `voiceId` is `data-voice-id`. */
export const attributeName = (setting: string): string =>
  `data-${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** What the tag says, without what it may not say; `faults` name what is allowed. An empty attribute says nothing, but data-open. */
export function readAttributes(get: (name: string) => string | null): { given: Partial<Settings>; faults: string[] } {
  const given: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [setting, read] of Object.entries(attributes)) {
    const name = attributeName(setting);
    const said = get(name)?.trim();
    if (said === undefined || (said === '' && setting !== 'open')) continue;
    const { value, allowed } = read(said);
    if (allowed === undefined) given[setting] = value;
    else faults.push(`${name}="${said.slice(0, 60)}" (allowed: ${allowed})`);
  }
  return { given: given as Partial<Settings>, faults };
}

const defaults: Settings = { mode: 'both', position: 'bottom-right', theme: 'auto', color: '#1f5fbf', open: false };

/** The attribute wins over the agent's file, which wins over the default. */
export const settled = (given: Partial<Settings>, ofFile: ToldWidgetSettings = {}): Settings => ({
  ...defaults,
  ...ofFile,
  ...given,
  // No page can make an agent hear that does not permit a microphone.
  ...(ofFile.microphone === false ? { mode: 'text' as const } : {}),
});
