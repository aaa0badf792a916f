/** Something to begin with, when the person does not know what to say: what one may ask any agent. */
const english = ['What can you help me with?', 'When are you open?', 'Can I speak to a real person?'];
const german = ['Wobei können Sie mir helfen?', 'Wann haben Sie geöffnet?', 'Kann ich mit einem Menschen sprechen?'];

export const openersIn = (language: string): readonly string[] =>
  language.toLowerCase().startsWith('de') ? german : english;
