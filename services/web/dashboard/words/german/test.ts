import type { Words } from '../english.ts';

export const test: Words['test'] = {
  tab: 'Ausprobieren',
  begin: 'Diesen Agenten ausprobieren',
  intro:
    'Ein Test ist ein echtes Gespräch mit der Version, die gilt. Er kostet keine Minuten und zählt in keiner Auswertung.',
  webhook: 'Auch den Webhook davon benachrichtigen',
  start: 'Beginnen',
  title: (agent) => `Test mit ${agent}`,
  badge: 'Test',
  end: 'Beenden',
  reconnect: 'Neu verbinden',
  toSession: 'Alles darüber lesen',
  again: 'Noch einmal',
  beginsHere: 'Hier beginnt das Gespräch.',
  latest: 'Letzte Antwort',
  writtenOnly: 'Nichts hier kann diese Sprache für den Agenten sprechen, also wird dieser Test geschrieben.',
  microphone: {
    missing:
      'Hier ist kein Mikrofon. Schließen Sie eines an, und versuchen Sie es noch einmal, oder schreiben Sie weiter.',
    busy: 'Ein anderes Programm benutzt das Mikrofon. Beenden Sie das, und versuchen Sie es noch einmal.',
    refused: 'Das Mikrofon war nicht zu benutzen. Erlauben Sie es dieser Seite, und versuchen Sie es noch einmal.',
  },
  notReached: (why) => `Das Gespräch war nicht wieder zu erreichen. ${why}`,
  notYours: 'Agenten probieren Bearbeiter und höhere Rollen aus',
  notYoursHow: 'Bitten Sie einen Inhaber um eine andere Rolle.',
  notLive: 'Ausprobieren lässt sich nur ein Agent, der gilt.',
  voice: {
    talk: 'Stattdessen sprechen',
    waiting: 'Warten auf das Mikrofon…',
    mute: 'Stumm',
    unmute: 'Nicht mehr stumm',
    interrupt: 'Unterbrechen',
    person: 'Sie',
    agent: 'Agent',
  },
  composer: (agent) => ({
    label: `Nachricht an ${agent}`,
    placeholder: 'Schreiben Sie eine Nachricht',
    send: 'Senden',
    hint: 'Enter sendet, Umschalt und Enter beginnen eine neue Zeile.',
  }),
  activities: {
    absent: 'Warten auf den Agenten…',
    initializing: 'Der Agent macht sich bereit…',
    listening: 'Der Agent hört zu',
    thinking: 'Der Agent überlegt…',
    speaking: 'Der Agent antwortet',
  },
  connections: {
    connecting: 'Wird verbunden…',
    connected: 'Verbunden',
    reconnecting: 'Wird neu verbunden…',
    lost: 'Die Verbindung ist verloren',
    closed: 'Es ist vorbei',
  },
  deliveries: { waiting: 'wartet darauf, gesendet zu werden', failed: 'nicht zugestellt' },
};
