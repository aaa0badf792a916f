import { writeFile } from 'node:fs/promises';
import { Command } from '@commander-js/extra-typings';
import { Espeak } from '../../../services/agent/providers/local/espeak.ts';
import { NaturalSpeech } from '../../../services/agent/providers/local/natural/natural-speech.ts';
import { piperSampleRate, piperVoice } from '../../../services/agent/providers/local/natural/piper-voice.ts';
import { speechModelNamed } from '../../../services/agent-files/definition/speech-models.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import { Fault } from '../../toolchain/fault.ts';
import { givenPath } from '../../toolchain/given-path.ts';
import { say } from '../../toolchain/say.ts';
import { modelsFile } from '../../toolchain/speech-models.ts';

export const command = new Command()
  .description('Says a sentence by a voice into a WAV file, and tells how long that took')
  .argument('<voice>', 'such as en_US-joe-medium')
  .argument('[sentence]', 'what to say', 'Hello! What can I do for you?')
  .option('--out <file>', 'where to', 'speech.wav')
  .option('--speed <number>', '0.5 to 2', Number, 1)
  .action(async (name, sentence, { out, speed }) => {
    const logger = makeLogger({ service: 'speech', level: 'silent' });
    const natural = new NaturalSpeech(modelsFile(), logger);
    try {
      const language = speechModelNamed(name)?.languages[0];
      const found = language && natural.voice({ language, name });
      if (!language || !found) throw new Fault(`${name} is not here: npx parley speech fetch ${name}`);
      const voice = piperVoice({ natural, espeak: new Espeak('espeak-ng'), logger, ...found, language, speed });
      const began = performance.now();
      let first = 0;
      const frames: Int16Array[] = [];
      for await (const { data } of voice.speak(sentence, new AbortController().signal)) {
        first ||= performance.now() - began;
        frames.push(data);
      }
      const samples = Int16Array.from(frames.flatMap((frame) => [...frame]));
      await writeFile(givenPath(out), wavOf(samples));
      const seconds = (samples.length / piperSampleRate).toFixed(1);
      say(
        `${out}: ${seconds} s of speech; the first sound after ${Math.round(first)} ms, the engine's start included.`,
      );
    } finally {
      await natural.close();
    }
  });

function wavOf(samples: Int16Array): Buffer {
  const data = Buffer.from(samples.buffer);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(piperSampleRate, 24);
  header.writeUInt32LE(piperSampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
