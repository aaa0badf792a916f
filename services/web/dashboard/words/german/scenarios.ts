import type { Words } from '../english.ts';

export const scenarios: Words['scenarios'] = {
  intro: 'Gespräche, die gelingen müssen. Eine Version, an der eines scheitert, gilt nicht.',
  none: 'Noch hat kein Agent Szenarien',
  noneHow:
    'Öffnen Sie ein Gespräch, das lief, wie es soll, und schreiben Sie es als Szenario: es wird vor jeder neuen Version geprüft.',
  toSessions: 'Zu den Gesprächen',
  run: 'Jetzt prüfen',
  running: 'Läuft',
  notRun: 'Hier noch nicht gelaufen',
  live: 'Ruft echte Adressen auf',
  outcomes: { passed: 'Bestanden', failed: 'Gescheitert', skipped: 'Ausgelassen' },
  runs: (passes, runs, model) => (runs === 1 ? `mit ${model}` : `${passes} von ${runs} Läufen bestanden, mit ${model}`),
  expected: 'Erwartet',
  got: 'Bekommen',
  passes: 'Versionen, die alle bestanden haben',
  passedAt: 'Bestanden',
  earlier: 'wie sie damals waren',
  neverPassed: 'Noch keine Version hat alle bestanden.',
};
