import type { Words } from '../english.ts';

export const serviceHealth: Words['serviceHealth'] = {
  title: 'Zustand',
  intro: 'Ob jetzt alles da ist, was Gespräche brauchen.',
  allWell: 'Alles ist da',
  notAll: 'Etwas fehlt',
  checked: 'Nachgesehen',
  states: { ok: 'Da', down: 'Fehlt', full: 'Voll', unknown: 'Unbekannt' },
  parts: { database: 'Datenbank', rooms: 'Raumserver', hosts: 'Agenten-Hosts', worker: 'Worker' },
  does: {
    database: 'Bewahrt Gespräche, Agenten und Menschen auf.',
    rooms: 'Überträgt, was gesagt und geschrieben wird.',
    hosts: 'Auf ihnen laufen die Agenten, die antworten.',
    worker: 'Liefert Webhooks, fasst Gespräche zusammen und schreibt Änderungen in Dateien.',
  },
  down: {
    database: 'Ohne sie geht nichts. Wer diese Installation betreibt, führt „parley doctor“ aus.',
    rooms: 'Kein Gespräch beginnt. Wer diese Installation betreibt, führt „parley doctor“ aus.',
    hosts: 'Wer ein Gespräch beginnt, wartet auf einen Agenten. Ein Host muss gestartet werden.',
    worker:
      'Webhooks, Zusammenfassungen und Änderungen warten und werden nachgeholt, sobald ein Worker läuft. Einer muss gestartet werden.',
  },
  full: 'Nichts kann gespeichert werden, und kein Gespräch beginnt. Wer diese Installation betreibt, schafft Platz auf ihrer Festplatte.',
  unknown: 'Davon weiß die Datenbank, und sie antwortet nicht.',
  figures: {
    postgres: 'PostgreSQL',
    hosts: 'Nehmen Gespräche an',
    draining: 'Im Weggehen',
    capacity: 'Gespräche zugleich',
    voiceCapacity: 'Davon gesprochene',
    silentSeconds: 'Zuletzt gehört, vor Sekunden',
  },
  releases: {
    title: 'Versionen',
    intro: 'Woraus die laufenden Prozesse bestehen. Zwei einer Art zugleich: Ein Wechsel ist im Gange.',
    none: 'Keinem laufenden Prozess wurde seine Version gesagt (siehe docs/settings.md).',
    processes: { api: 'API', worker: 'Worker', agent: 'Agenten-Hosts' },
    running: (count) => `${count} laufen`,
  },
};
