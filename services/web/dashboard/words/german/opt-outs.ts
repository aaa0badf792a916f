import type { Words } from '../english.ts';

export const optOuts: Words['optOuts'] = {
  title: 'Nicht anrufen',
  intro: 'Kein Agent ruft diese Nummern an, gleich von welcher Ihrer Nummern.',
  number: 'Nummer',
  numberHint: 'Mit dem Land: +4930123456.',
  why: 'Woher man es weiß',
  whyHint: 'Für alle, die später nachsehen. Kann leer bleiben.',
  since: 'Seit',
  add: 'Nummer nicht mehr anrufen',
  added: (number) => `${number} wird nicht mehr angerufen.`,
  remove: 'Darf angerufen werden',
  removeOf: (number) => `${number} darf wieder angerufen werden`,
  removeTitle: (number) => `Dürfen Agenten ${number} wieder anrufen?`,
  removeHow: 'Nur, wenn die Person dem zugestimmt hat.',
  removed: (number) => `${number} darf wieder angerufen werden.`,
  none: 'Niemand hat gebeten, nicht angerufen zu werden',
  noneHow: 'Wer es einem Agenten oder Ihnen sagt, steht dann hier; auch, wen die API meldet (POST …/opt-outs).',
  notYours: 'Wer es ist, sehen Verwalter und Inhaber',
};
