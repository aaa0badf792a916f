import { join } from 'node:path';
import { variables } from '../../services/settings/write.ts';
import { Fault } from './fault.ts';
import { pythonWith } from './python.ts';
import { espeak, installPrograms } from './system.ts';

type Progress = (line: string) => void;

export interface LocalSpeech {
  /** What agent hosts are told. */
  variables: Record<string, string>;
  /** One sentence for each part that could not be set up. */
  problems: string[];
}

/** Sets up speech on this machine, which needs no key. Never throws for what is missing: text works without it. */
export async function setUpLocalSpeech(progress: Progress): Promise<LocalSpeech> {
  const problems: string[] = [];
  const noted = async <Value>(work: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const [, programs] = await Promise.all([
    noted(installPrograms([espeak], 'Speech on this machine needs', progress)),
    noted(pythonWith('pocketsphinx', progress)),
  ]);
  return { variables: programs ? variables({ speech: { python: join(programs, 'python') } }) : {}, problems };
}
