import { espeakVoice } from '../../../../agent-files/definition/espeak-voices.ts';
import { framesOf } from '../../../speech/frames.ts';
import type { Voice } from '../../../speech/voice.ts';
import type { Espeak } from '../espeak.ts';
import type { NaturalSpeech } from './natural-speech.ts';

export interface PiperVoiceParts {
  natural: NaturalSpeech;
  espeak: Espeak;
  /** Of the model. */
  name: string;
  folder: string;
  language: string;
  speed: number;
}

/** What all voices of our table make; a voice of another rate is refused by its first sound. */
export const piperSampleRate = 22_050;
/** Clauses are put together up to about this length: a voice that says them one by one sounds chopped. */
const mostOfAPiece = 140;
/** The first piece is short where there is a place to cut it: it is heard while the next is made. */
const mostOfTheFirst = 50;
const fewest = 12;

/** A voice of Piper's: natural, and made on this machine. */
export function piperVoice({ natural, espeak, name, folder, language, speed }: PiperVoiceParts): Voice {
  const who = {};
  const speaks = espeakVoice(language);
  async function* sound(text: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const pieces = piecesOf(text);
    const make = async (piece: string) => {
      const phonemes = await phonemesOf(espeak, piece, speaks);
      return natural.say(who, { folder, phonemes, speed }, signal);
    };
    let next = pieces[0] === undefined ? undefined : make(pieces[0]);
    for (let at = 1; next && !signal.aborted; at += 1) {
      const { samples, sampleRate } = await next;
      if (sampleRate !== piperSampleRate) throw new Error(`The voice ${name} has an unknown rate of ${sampleRate} Hz.`);
      const piece = pieces[at];
      next = piece === undefined ? undefined : make(piece);
      // Whoever stops listening leaves it behind.
      next?.catch(() => undefined);
      yield samples;
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

async function phonemesOf(espeak: Espeak, piece: string, voice: string): Promise<string> {
  const clauses = piece.split(/(?<=[,;:!?])\s+/u).filter((clause) => /[\p{L}\p{N}]/u.test(clause));
  const said = await Promise.all(
    clauses.map(async (clause) => `${await espeak.ipa(clause, voice)}${mark.exec(clause)?.[1] ?? ''}`),
  );
  return said.join(' ');
}
