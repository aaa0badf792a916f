import { render } from 'preact';
import type { LanguagesForWidget } from '../../../contract/widget.ts';
import { bestEffort } from '../../client/best-effort.ts';
import { joinRoom, prefetchRoomClient, takeMicrophone } from '../../client/room-client.ts';
import type { Controls, Handover } from '../shapes.ts';
import { askPerson } from './challenge.ts';
import { accept, hasAccepted } from './consent.ts';
import { makeApi } from './conversation/api.ts';
import { holdConversation } from './conversation/conversation.ts';
import { memoryOf } from './conversation/memory.ts';
import { tellPage } from './events.ts';
import { languageOf, unknownTo, voiceOf } from './language.ts';
import { makeStore } from './store.ts';
import style from './style.css?inline';
import { watchTabs } from './tabs.ts';
import { en } from './texts/en.ts';
import { localized, textsFor } from './texts/texts.ts';
import { colours } from './theme.ts';
import { answerTools } from './tool-room.ts';
import type { Shown } from './views/shown.ts';
import { Widget } from './views/widget.tsx';
import { noticeText } from './views/wording.ts';

/** A reply that grows is not written down with each of its words. */
const rememberedEveryMs = 500;

/** Takes over from the loader: the window, where there is one, and the conversation. Nothing is asked of the service before the first word. */
export function take(handover: Handover): Controls {
  const { host, launcher, agentKey, origin, client, warn } = handover;
  const store = makeStore();
  const memory = memoryOf(agentKey);
  const remembered = memory.read();
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  let settings = handover.settings();
  let facts: LanguagesForWidget | undefined;
  let language = remembered?.language ?? settings.language ?? navigator.language;
  let texts = en;
  let isOpen = launcher?.inline ?? false;
  let unread = 0;
  let holder: HTMLElement | undefined;

  const learnFacts = async () => {
    facts = await handover.facts();
    settings = handover.settings();
    const chosen = languageOf(facts, settings, navigator.languages);
    language = remembered?.language ?? chosen;
    for (const fault of unknownTo(facts, settings, chosen)) warn(fault);
    texts = await textsFor(language, settings.texts);
    draw();
    return facts;
  };
  let learning: Promise<LanguagesForWidget> | undefined;
  const known = () => {
    learning ??= learnFacts().catch((error) => {
      learning = undefined;
      throw error;
    });
    return learning;
  };

  const conversation = holdConversation(
    {
      api: makeApi({ origin, agentKey, client }),
      join: joinRoom,
      microphone: takeMicrophone,
      wishes: async () => {
        const voiceId = voiceOf(await known(), settings, language);
        return { language, ...(voiceId === undefined ? {} : { voiceId }) };
      },
      challenge: async () => {
        const { widget } = await known();
        if (!widget.challenge) return undefined;
        // There may be something to press, which nobody sees in a closed window.
        void open();
        return askPerson(host, widget.challenge, language);
      },
      onJoined: answerTools(handover, store.learn),
      learn: store.learn,
      state: store.state,
    },
    remembered,
  );

  const consentText = () => localized(settings.consent, language);
  const needsConsent = () => {
    const text = consentText();
    return text !== undefined && !hasAccepted(agentKey, text);
  };
  const tabs = watchTabs(agentKey, () => {
    if (store.state().mode !== 'voice') return;
    void conversation.write();
    store.learn({ kind: 'notice', notice: { code: 'elsewhere', isRetried: false } });
  });

  const remember = () => {
    if (store.state().phase === 'talking') memory.write(store.state(), { language, isOpen });
  };
  tellPage(host, store, (state) => noticeText(state, texts));
  store.onFact((before, now, fact) => {
    if (fact.kind === 'ended' || fact.kind === 'cleared') memory.forget();
    if (fact.kind === 'microphone' && fact.microphone === 'on' && before.microphone !== 'on') tabs.speaks();
    if (fact.kind === 'replyEnded' && !isOpen && now.entries !== before.entries) unread += 1;
  });
  let isToBeWritten = false;
  store.onChange(() => {
    if (isToBeWritten) return;
    isToBeWritten = true;
    setTimeout(() => {
      isToBeWritten = false;
      remember();
    }, rememberedEveryMs);
  });
  store.onChange(draw);
  addEventListener('pagehide', remember);
  addEventListener('offline', () => conversation.online(false));
  addEventListener('online', () => conversation.online(true));
  isDark.addEventListener('change', () => draw());

  function shown(): Shown {
    const accepted = !needsConsent();
    return {
      state: store.state(),
      ...{ settings, language, texts, isOpen, unread, accepted },
      consent: consentText(),
      greeting: localized(settings.greeting, language),
      title: settings.title ?? texts.title,
      isInline: launcher?.inline ?? false,
      colours: colours(settings, isDark.matches),
    };
  }

  function draw(): void {
    if (!holder || !launcher) return;
    const { button } = launcher;
    button.setAttribute('aria-expanded', String(isOpen));
    host.toggleAttribute('data-open', isOpen);
    render(<Widget shown={shown()} act={act} button={button} />, holder);
  }

  const setOpen = (opens: boolean) => {
    if (isOpen === opens) return;
    isOpen = opens;
    if (opens) unread = 0;
    draw();
    remember();
    host.dispatchEvent(
      new CustomEvent(opens ? 'parley:open' : 'parley:close', { detail: {}, bubbles: true, composed: true }),
    );
  };
  const open = async () => {
    if (!launcher) return;
    setOpen(true);
    void bestEffort('it is fetched again when it is needed', prefetchRoomClient());
    await bestEffort('the person is told when they write', known());
  };
  const close = () => setOpen(launcher?.inline ?? false);

  const act = {
    ...conversation,
    say: (text: string) => conversation.say(text),
    close,
    accept: () => {
      accept(agentKey, consentText() ?? '');
      draw();
    },
    redraw: draw,
  };

  if (launcher) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    launcher.root.adoptedStyleSheets = [...launcher.root.adoptedStyleSheets, sheet];
    holder = document.createElement('div');
    holder.className = 'holder';
    launcher.root.prepend(holder);
    if (remembered?.isOpen) void open();
    if (launcher.inline) void open().then(draw);
    draw();
  }
  void bestEffort('the person is told when they write', known());

  /** Without an interface the page itself has to have asked; with one the person has to accept first. */
  const mayBegin = () => {
    if (!launcher || !needsConsent()) return true;
    void open();
    return false;
  };
  return {
    open,
    close,
    start: async () => {
      await bestEffort('the person is told below', known());
      if (mayBegin()) await conversation.start(settings.mode === 'voice' ? 'VOICE' : 'TEXT');
    },
    send: async (text) => {
      await bestEffort('the person is told below', known());
      if (mayBegin()) conversation.say(String(text));
    },
    speak: async () => {
      await bestEffort('the person is told below', known());
      // The agent's own word, which no page changes: then nobody is asked for a microphone either.
      if (settings.microphone === false)
        return store.learn({ kind: 'notice', notice: { code: 'voice_unavailable', isRetried: false } });
      if (mayBegin()) await conversation.speak();
    },
    write: conversation.write,
    mute: (muted = true) => conversation.mute(muted),
    stop: async () => conversation.interrupt(),
    end: conversation.end,
  };
}
