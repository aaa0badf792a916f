import { bestEffort } from '../../client/best-effort.ts';
import { ofTab, storedText } from '../../client/stored.ts';
import { sessionName } from '../session-name.ts';
import type { AppModule, Controls, Handover, RegisteredTool, WidgetElement, WidgetMethods } from '../shapes.ts';
import { readAttributes, settled } from './attributes.ts';
import { knowledgeOf } from './knowledge.ts';
import { drawLauncher, dress, intoPage, raise } from './launcher.ts';
import { nativesWork } from './natives.ts';
import { place } from './place.ts';
import { wordsFor } from './words.ts';

/** File of the window, with the hash of its content, and the version of this build: written in by the bundler. */
declare const __APP__: string;
declare const __VERSION__: string;

const client = `widget/${__VERSION__}`;
/** Of the page, whatever scripts it has: the tag twice is one widget. */
const taken = Symbol.for('parley.widget');
/** A tab that holds a conversation goes on with it after it was loaded again. */
const isHeld = (agentKey: string) => storedText(ofTab, sessionName(agentKey)).read() !== undefined;

const soon = (work: Promise<unknown>) => bestEffort('a press loads it', work);
const warn = (text: string) => console.warn(`Parley widget: ${text}`);

function findTag(): HTMLScriptElement | null {
  const running = document.currentScript;
  if (running instanceof HTMLScriptElement && running.dataset.agentKey) return running;
  return document.querySelector('script[data-agent-key][src*="widget.js"]');
}

function begin(tag: HTMLScriptElement): void {
  const agentKey = tag.dataset.agentKey?.trim() ?? '';
  if (!/^pk_[\w-]{43}$/.test(agentKey)) {
    return warn('data-agent-key must be the agent API key (pk_ and 43 characters).');
  }
  const page = window as unknown as Record<symbol, Set<string> | undefined>;
  page[taken] ??= new Set();
  const known = page[taken];
  if (known.has(agentKey)) return;
  known.add(agentKey);

  const { given, faults } = readAttributes((name) => tag.getAttribute(name));
  if (faults.length > 0) warn(`the defaults stand in for ${faults.join('; ')}`);
  const { origin } = new URL(tag.src);
  const knowledge = knowledgeOf({ origin, agentKey, client, warn });
  const settings = () => settled(given, knowledge.facts?.widget);
  const isHeadless = tag.hasAttribute('data-headless');
  const host = document.createElement('parley-widget') as WidgetElement;
  const launcher = isHeadless ? undefined : drawLauncher(host, settings().target !== undefined);
  const tools = new Map<string, RegisteredTool>();
  let onTool: (name: string) => void = () => undefined;

  let app: Promise<Controls> | undefined;
  const handover: Handover = {
    ...{ host, launcher, agentKey, origin, client, settings, tools, warn },
    facts: knowledge.needed,
    onTool: (heard) => {
      onTool = heard;
    },
  };
  const load = (): Promise<Controls> => {
    app ??= import(/* @vite-ignore */ `${origin}/widget/${__APP__}`)
      // A page that was open while the service was replaced knows files that are gone.
      .catch(() => import(/* @vite-ignore */ `${origin}/widget/app.js?again=${Date.now()}`))
      .then((module: AppModule) => module.take(handover));
    app.catch(() => {
      app = undefined;
    });
    return app;
  };

  const call =
    <Name extends keyof Controls>(name: Name) =>
    async (...args: Parameters<WidgetMethods[Name]>) => {
      const controls = await load();
      return (controls[name] as (...all: typeof args) => unknown)(...args);
    };
  const methods = {
    ...{ start: call('start'), send: call('send'), speak: call('speak'), write: call('write') },
    ...{ mute: call('mute'), stop: call('stop'), end: call('end'), open: call('open') },
    close: () => void app?.then(({ close }) => close()),
    registerTool: (name: string, run: RegisteredTool['run'], options = {}) => {
      tools.set(name, { ...options, run });
      onTool(name);
    },
    unregisterTool: (name: string) => {
      tools.delete(name);
      onTool(name);
    },
  };
  Object.assign(host, methods);

  const ready = () => {
    const told = { detail: { agentKey }, bubbles: true };
    host.dispatchEvent(new CustomEvent('parley:ready', told));
  };
  const language = () => settings().language ?? navigator.language;
  let isPlaced = false;
  const putInto = (target: string | undefined) => {
    isPlaced = true;
    if (!launcher) {
      document.documentElement.append(host);
      return ready();
    }
    place(host, target, () => {
      if (launcher.inline) void soon(load());
      else raise(host);
      ready();
    });
  };
  const show = () => {
    const { target } = settings();
    if (knowledge.refused) return host.remove();
    if (launcher) dress(host, launcher, settings(), wordsFor(language())[0]);
    const moves = launcher !== undefined && target !== undefined && !launcher.inline;
    // Only the agent's file said so, and it was not known yet.
    if (moves) {
      intoPage(host, launcher);
      host.remove();
    }
    if (!isPlaced || moves) putInto(target);
  };

  if (launcher) {
    const fail = () => {
      launcher.button.removeAttribute('aria-busy');
      const told = document.createElement('div');
      told.className = 'failed';
      told.setAttribute('role', 'alert');
      told.textContent = wordsFor(language())[2];
      launcher.root.append(told);
      setTimeout(() => told.remove(), 8_000);
    };
    const press = () => {
      launcher.button.setAttribute('aria-busy', 'true');
      const opens = launcher.button.getAttribute('aria-expanded') !== 'true';
      load()
        .then((controls) => (opens ? controls.open() : controls.close()))
        .then(() => launcher.button.removeAttribute('aria-busy'), fail);
    };
    launcher.button.addEventListener('click', press);
    // Whoever points at it is about to press it.
    for (const sign of ['pointerenter', 'focus'])
      launcher.button.addEventListener(sign, () => void soon(load()), { once: true });
  }

  show();
  const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 200));
  idle(() => {
    void knowledge.freshen().then(() => {
      show();
      if (knowledge.refused) return;
      if (isHeld(agentKey)) void soon(load());
      else if (settings().open && launcher && !launcher.inline) void soon(methods.open());
    });
  });
}

/** A page goes on whatever happens here. */
try {
  const tag = nativesWork() ? findTag() : null;
  if (tag) begin(tag);
} catch (error) {
  console.debug('Parley widget:', error);
}
