import type { Request } from 'express';
import { type LetterLanguage, letterLanguages } from '../../core/mail/letters.ts';

/** The language of a letter that somebody asks for: the first of theirs that we write in. Of whom it is for we know none. */
export const letterLanguageOf = (req: Request): LetterLanguage =>
  (req.acceptsLanguages([...letterLanguages]) || letterLanguages[0]) as LetterLanguage;
