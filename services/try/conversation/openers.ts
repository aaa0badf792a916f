/** Something to begin with, when the person does not know what to say. They promise nothing about the agent. */
const english = [
  'What can you help me with?',
  'When are you open?',
  'I would like to book a table for two.',
  'Where is my order?',
];
const german = [
  'Wobei können Sie mir helfen?',
  'Wann haben Sie geöffnet?',
  'Ich möchte einen Tisch für zwei reservieren.',
];

export const openersIn = (language: string): readonly string[] =>
  language.toLowerCase().startsWith('de') ? german : english;
