import type { SpeechModel } from '../../services/agent-files/definition/speech-models.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { agentsFolder } from '../toolchain/given-path.ts';
import { modelsFor } from '../toolchain/natural-speech.ts';
import { fetchSpeech, isFetched } from '../toolchain/speech-models.ts';
import type { StartOptions } from './options.ts';

/** Where the agents are in a repository, which the worker reads: the same languages, as likely as any. */
const shippedAgents = agentsFolder(undefined);

export interface NaturalSpeechStart {
  options: Pick<StartOptions, 'agentsFolder' | 'hasNaturalSpeech'>;
  /** Aborted when stopping begins. */
  signal: AbortSignal;
  say(line: string): void;
}

/**
 * Fetches what the agents need to hear and speak naturally, while all else runs; agent hosts find it by themselves. Never throws: until
 * it is there, and where it can't be had, espeak-ng speaks and the grammar hears.
 */
export async function fetchNaturalSpeech({ options, signal, say }: NaturalSpeechStart): Promise<void> {
  if (!options.hasNaturalSpeech) return;
  const tell = (line: string) => {
    if (!signal.aborted) say(line);
  };
  try {
    const { agents } = await loadAgents(options.agentsFolder ?? shippedAgents, { environment: 'development' });
    const models = modelsFor(agents.map(({ agent }) => agent));
    if (models.length === 0) return;
    if (!models.every(isFetched))
      tell(
        'Natural speech is being fetched, once; until it is here espeak-ng speaks, and listed phrases are understood.',
      );
    const problems = await fetchSpeech(models, { progress: tell });
    for (const problem of problems) tell(problem);
    const there = models.filter(isFetched).map(({ name }) => name);
    if (there.length > 0) tell(`Natural speech is ready: ${there.join(', ')}.`);
    for (const model of models) if (!isFetched(model)) tell(insteadOf(model));
  } catch (error) {
    tell(
      `Natural speech could not be set up (${(error as Error).message}): espeak-ng speaks, and listed phrases are understood.`,
    );
  }
}

const insteadOf = ({ name, engine, languages }: SpeechModel): string =>
  engine === 'piper'
    ? `Without ${name} a voice of espeak-ng's speaks "${languages[0]}" in its place.`
    : `Without ${name} only phrases that agents list are understood.`;
