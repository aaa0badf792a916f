import { mkdir } from 'node:fs/promises';
import { MakingUp, type MakingUpParts } from './making-up.ts';
import { OwedFile } from './owed-file.ts';

export interface OwedStore {
  /** Where conversations keep what they owe; undefined: in memory only. */
  keeper: OwedFile | undefined;
  /** Before anything is taken up: the database gets what hosts that are gone have left here. */
  makeUp(): Promise<void>;
  close(): Promise<void>;
}

/** In the folder of the setting, if there is one. A folder that cannot be written is said, and the host goes on without. */
export async function openOwed(
  folder: string | undefined,
  parts: Pick<MakingUpParts, 'db' | 'notifier' | 'vault' | 'logger'>,
): Promise<OwedStore> {
  if (folder === undefined || !(await isMade(folder, parts))) return inMemory;
  const { vault, logger } = parts;
  const keeper = new OwedFile({
    ...{ folder, vault },
    onProblem: (error) => logger.warn({ err: error }, 'what is owed to the database is in memory only'),
  });
  const making = new MakingUp({ ...parts, folder, own: keeper });
  return {
    keeper,
    makeUp: async () => {
      await making.look();
      making.start();
    },
    close: async () => {
      await making.stop();
      await keeper.close();
    },
  };
}

const inMemory: OwedStore = { keeper: undefined, makeUp: async () => undefined, close: async () => undefined };

async function isMade(folder: string, { logger }: Pick<MakingUpParts, 'logger'>): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return true;
  } catch (error) {
    logger.warn({ err: error }, 'what is owed to the database is in memory only');
    return false;
  }
}
