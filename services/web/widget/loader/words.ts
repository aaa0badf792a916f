/** What the button says before anything else is loaded: to open, to close, and that it could not be opened. */
const words: Record<string, readonly [string, string, string]> = {
  en: ['Open chat', 'Close chat', 'The chat could not be loaded. Try again.'],
  de: ['Chat öffnen', 'Chat schließen', 'Der Chat konnte nicht geladen werden. Versuchen Sie es noch einmal.'],
  es: ['Abrir el chat', 'Cerrar el chat', 'No se pudo cargar el chat. Inténtelo de nuevo.'],
  fr: ['Ouvrir le chat', 'Fermer le chat', 'Le chat n’a pas pu être chargé. Réessayez.'],
  ar: ['فتح الدردشة', 'إغلاق الدردشة', 'تعذّر تحميل الدردشة. حاول مرة أخرى.'],
};

/** In the first of these languages that there are words for, else in English. */
export const wordsFor = (...languages: readonly (string | undefined)[]): readonly [string, string, string] => {
  for (const language of languages) {
    const found = words[language?.slice(0, 2).toLowerCase() ?? ''];
    if (found) return found;
  }
  return words.en as readonly [string, string, string];
};
