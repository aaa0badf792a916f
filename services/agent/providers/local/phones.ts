/**
 * The sounds of the phonetic alphabet, as espeak-ng writes them, in the 39 phones that pocketsphinx's American English model
 * knows. Other languages get the nearest ones: an accent, and for a grammar's few words it is enough.
 */
const phones: Readonly<Record<string, string>> = {
  a: 'AA',
  ɑ: 'AA',
  æ: 'AE',
  ɐ: 'AH',
  ə: 'AH',
  ʌ: 'AH',
  ɜ: 'AH',
  ɚ: 'ER',
  ɜː: 'ER',
  ɔ: 'AO',
  ɒ: 'AA',
  o: 'OW',
  eɪ: 'EY',
  eː: 'EY',
  e: 'EH',
  ɛ: 'EH',
  aɪ: 'AY',
  ɔɪ: 'OY',
  ɔø: 'OY',
  ɔʏ: 'OY',
  aʊ: 'AW',
  oʊ: 'OW',
  əʊ: 'OW',
  iː: 'IY',
  i: 'IY',
  ɪ: 'IH',
  ᵻ: 'IH',
  uː: 'UW',
  u: 'UW',
  ʊ: 'UH',
  yː: 'UW',
  y: 'UH',
  ʏ: 'UH',
  øː: 'ER',
  ø: 'ER',
  œ: 'ER',
  p: 'P',
  b: 'B',
  t: 'T',
  d: 'D',
  k: 'K',
  ɡ: 'G',
  g: 'G',
  f: 'F',
  v: 'V',
  θ: 'TH',
  ð: 'DH',
  s: 'S',
  z: 'Z',
  ʃ: 'SH',
  ʒ: 'ZH',
  h: 'HH',
  m: 'M',
  n: 'N',
  ŋ: 'NG',
  l: 'L',
  ɫ: 'L',
  r: 'R',
  ɹ: 'R',
  ʁ: 'R',
  tʃ: 'CH',
  dʒ: 'JH',
  j: 'Y',
  w: 'W',
  ç: 'SH',
  x: 'HH',
  pf: 'P F',
  ts: 'T S',
  β: 'V',
  ɲ: 'N Y',
  ʎ: 'L Y',
  ɣ: 'G',
};

/** A tapped r: the sound between the vowels of an American "butter", and an r elsewhere. */
const tap = (language: string): string => (language.toLowerCase().startsWith('en') ? 'D' : 'R');

/** Phones of what `Espeak.phonemes` gave, such as `t_ˈɪ_ʃ` (Tisch): `T IH SH`. Sounds that nothing is near to are left out. */
export function phonesOf(phonemes: string, language: string): string {
  return phonemes
    .replaceAll(/\([a-z-]+\)/gu, '')
    .split(/[_\s]+/u)
    .map((sound) => sound.replaceAll(/[ˈˌ]/gu, ''))
    .flatMap((sound) => phoneOf(sound, language) ?? [...sound].flatMap((part) => phoneOf(part, language) ?? []))
    .join(' ');
}

function phoneOf(sound: string, language: string): string | undefined {
  if (sound === 'ɾ') return tap(language);
  return phones[sound] ?? phones[sound.replace('ː', '')];
}
