import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Fault } from './fault.ts';
import { complain } from './say.ts';

/** Runs one of our commands; what goes wrong ends it with exit status `failed`, and a Fault is one sentence, not a stack. */
export async function runScript(
  main: (args: string[]) => Promise<void> | void,
  { failed = 1 }: { failed?: number } = {},
): Promise<void> {
  outliveReaders();
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    complain(`${error instanceof Fault ? error.message : (error as Error).stack}`);
    process.exitCode = failed;
  }
}

/** `npx parley sessions end --all | head -1`: the work goes on to its end, whether or not somebody reads about it. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** What stands behind a command's name. @throws Fault for an option or a word that the command does not know */
export function readArguments<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\.\s/);
    throw new Fault(`${sentence}. Add --help to see what there is.`);
  }
}
