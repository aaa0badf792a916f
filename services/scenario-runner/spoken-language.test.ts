import { expect, test } from 'vitest';
import { languageOfText } from './spoken-language.ts';

test.each([
  ['en', 'What time would you like to come, and how many people are you?'],
  ['de', 'Ich habe für Sie einen Tisch auf der Terrasse, ist das recht und wie viele sind Sie?'],
  ['fr', 'Je vous remercie, la table est pour quatre personnes dans une heure.'],
  ['es', 'La mesa es para cuatro personas en una hora, muchas gracias por su reserva.'],
  ['it', 'Il tavolo è per quattro persone, grazie, come si chiama lei?'],
  ['nl', 'Ik heb een tafel voor u op het terras, dat is niet ver van hier.'],
  ['pt', 'A mesa é para você e não tem uma hora, obrigado por seu contato.'],
])('%s is recognised by its small words', (code, text) => {
  expect(languageOfText(text)).toBe(code);
});

test.each(['', 'B-7KPRT, 19:30', 'Schnitzel, lentil stew', 'OK!'])('%j is in no language for certain', (text) => {
  expect(languageOfText(text)).toBeUndefined();
});
