import { type SpeechModel, speechModels, warmedModels } from '../../services/agent-files/definition/speech-models.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { agentsFolder } from '../toolchain/given-path.ts';
import { modelsFor } from '../toolchain/natural-speech.ts';
import { fetchSpeech, isFetched } from '../toolchain/speech-models.ts';
import { internalPorts } from './check-ports.ts';
import { haveLoaded } from './loaded-speech.ts';
import type { StartOptions } from './options.ts';

/** Where the agents are in a repository, which the worker reads: the same languages, as likely as any. */
const shippedAgents = agentsFolder(undefined);

export interface NaturalSpeechStart {
  options: StartOptions;
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
    for (const model of models) if (!isFetched(model)) tell(insteadOf(model));
    if (there.length > 0) tell(await readyLine(there, { options, signal }));
  } catch (error) {
    tell(
      `Natural speech could not be set up (${(error as Error).message}): espeak-ng speaks, and listed phrases are understood.`,
    );
  }
}

/** Hosts find what was fetched within two seconds, and load it beside their conversations. */
async function readyLine(
  there: readonly string[],
  { options, signal }: Pick<NaturalSpeechStart, 'options' | 'signal'>,
): Promise<string> {
  const hosts = internalPorts(options).agents.map((port) => `http://127.0.0.1:${port}/readyz`);
  const names = warmedModels(speechModels.filter(isFetched).map(({ name }) => name)).map(({ name }) => name);
  const list = there.join(', ');
  return (await haveLoaded(names, hosts, signal))
    ? `Natural speech is ready: ${list}.`
    : `Natural speech is here (${list}), and still loading: the first words may take a while.`;
}

const insteadOf = ({ name, engine, languages }: SpeechModel): string =>
  engine === 'piper'
    ? `Without ${name} a voice of espeak-ng's speaks "${languages[0]}" in its place.`
    : `Without ${name} only phrases that agents list are understood.`;
