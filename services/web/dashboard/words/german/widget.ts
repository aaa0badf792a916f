import type { widget as english } from '../english/widget.ts';

export const widget: typeof english = {
  tab: 'Website',
  looks: 'Aussehen',
  intro:
    'Was Sie nicht wählen, bleibt, wie es in der Datei des Agenten steht. Was Sie hier wählen, steht im Tag einer Seite.',
  ofFile: 'Wie in der Datei des Agenten',
  ofBrowser: 'Die des Besuchers, wenn der Agent sie spricht',
  settings: {
    mode: 'Gespräch',
    language: 'Sprache',
    voiceId: 'Stimme',
    position: 'Ecke',
    theme: 'Darstellung',
    color: 'Farbe',
    title: 'Überschrift',
    subtitle: 'Zeile darunter',
    greeting: 'Vor dem ersten Wort',
    open: 'Wenn die Seite geladen ist',
    consent: 'Einwilligung',
    target: 'Element der Seite',
  },
  hints: {
    color: 'Zum Beispiel #1f5fbf.',
    consent: 'Was Besucher annehmen müssen, bevor ein Gespräch beginnt oder nach dem Mikrofon gefragt wird.',
    target:
      'Ein CSS-Selektor wie #chat: Das Widget füllt dieses Element, das eine Höhe haben sollte, statt in einer Ecke zu stehen.',
  },
  modes: { both: 'Geschrieben oder gesprochen', text: 'Geschrieben', voice: 'Gesprochen' },
  positions: { 'bottom-right': 'Unten rechts', 'bottom-left': 'Unten links' },
  themes: { auto: 'Wie das System des Besuchers', light: 'Hell', dark: 'Dunkel' },
  opens: { true: 'Offen', false: 'Geschlossen' },
  copy: (what) => `Kopieren: ${what}`,
  preview: 'Vorschau',
  previewHow: 'Drücken Sie auf den Knopf in der Ecke. Ein Gespräch hier ist ein echtes und wird gezählt.',
  tag: 'Tag für die Seite',
  tagHow: 'Setzen Sie es einmal irgendwo in die Seite.',
  policy: 'Content-Security-Policy',
  policyHow:
    'Hat die Seite eine solche Richtlinie, braucht sie auch diese Zeilen; darunter sind die der Challenge, wo der Agent eine stellt.',
  keyHidden:
    'Im Tag steht der Schlüssel des Agenten, den Bearbeiter sehen können. Bitten Sie einen Inhaber um eine andere Rolle.',
};
