import { espeakVoice } from '../../../../agent-files/definition/espeak-voices.ts';
import { bestEffort } from '../../../../process/best-effort.ts';
import type { Logger } from '../../../../process/logger.ts';
import { within } from '../../../../process/within.ts';
import { framesOf } from '../../../speech/frames.ts';
import type { Voice } from '../../../speech/voice.ts';
import { type Espeak, espeakSampleRate } from '../espeak.ts';
import type { NaturalSpeech } from './natural-speech.ts';

export interface PiperVoiceParts {
  natural: Pick<NaturalSpeech, 'say'>;
  espeak: Pick<Espeak, 'ipa' | 'speak'>;
  logger: Logger;
  /** Of the model. */
  name: string;
  folder: string;
  language: string;
  speed: number;
}

/** What all voices of our table make, and espeak-ng too; a voice of another rate is refused by its first sound. */
export const piperSampleRate = espeakSampleRate;
/** On a machine that is so busy, and while its engine is started again, espeak-ng says the sentence: it takes a fiftieth of the work. */
const makesPieceWithinMs = 2_500;
/** Clauses are put together up to about this length: a voice that says them one by one sounds chopped. */
const mostOfAPiece = 100;
/** The first piece is short where there is a place to cut it: it is heard while the next is made. */
const mostOfTheFirst = 50;
const fewest = 12;

/** A voice of Piper's: natural, and made on this machine. */
export function piperVoice({ natural, espeak, logger, name, folder, language, speed }: PiperVoiceParts): Voice {
  const who = {};
  const speaks = espeakVoice(language);
  const make = async (piece: string, signal: AbortSignal) => {
    const phonemes = await phonemesOf(espeak, piece, speaks);
    const made = await natural.say(who, { folder, phonemes, speed }, signal);
    if (made.sampleRate !== piperSampleRate) throw new Error(`${name} has an unknown rate of ${made.sampleRate} Hz`);
    return made.samples;
  };
  async function* sound(text: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const pieces = piecesOf(text);
    const givenUp = new AbortController();
    const either = AbortSignal.any([signal, givenUp.signal]);
    const begin = (at: number) => {
      const piece = pieces[at];
      const making = piece === undefined ? undefined : make(piece, either);
      void bestEffort('whoever stops listening leaves it behind', making);
      return making;
    };
    let next = begin(0);
    for (let at = 0; next && !signal.aborted; at += 1) {
      const made: Uint8Array | Error = await within(makesPieceWithinMs, 'a voice', next).catch((error: Error) => error);
      if (made instanceof Error) {
        if (signal.aborted) return;
        givenUp.abort(made);
        logger.warn(
          { err: made, voice: name },
          'a natural voice was not there in time: espeak-ng says the rest of a sentence',
        );
        return yield* espeak.speak({ text: pieces.slice(at).join(' '), voice: speaks, speed, signal });
      }
      next = begin(at + 1);
      yield made;
    }
  }
  return {
    provider: 'local',
    model: name,
    sampleRate: piperSampleRate,
    speak: (text, signal) => framesOf(sound(text, signal), piperSampleRate),
    close: async () => {},
  };
}

/** A sentence in pieces that can be made one after the other, cut where a speaker breathes. */
export function piecesOf(sentence: string): string[] {
  const pieces: string[] = [];
  for (const clause of sentence.split(/(?<=[,;:!?.…–—])\s+/u)) {
    const last = pieces.at(-1);
    const most = pieces.length === 1 ? mostOfTheFirst : mostOfAPiece;
    const isShort = last !== undefined && (last.length < fewest || last.length + clause.length < most);
    if (isShort) pieces[pieces.length - 1] = `${last} ${clause}`;
    else if (clause !== '') pieces.push(clause);
  }
  return pieces;
}

/** What separates clauses is a phoneme for Piper: it makes the pause, and the melody of a question. */
const mark = /([,;:.!?])["'”“»)\]]*$/u;

async function phonemesOf(espeak: Pick<Espeak, 'ipa'>, piece: string, voice: string): Promise<string> {
  const clauses = piece.split(/(?<=[,;:!?])\s+/u).filter((clause) => /[\p{L}\p{N}]/u.test(clause));
  const said = await Promise.all(
    clauses.map(async (clause) => `${await espeak.ipa(clause, voice)}${mark.exec(clause)?.[1] ?? ''}`),
  );
  return said.join(' ');
}
