import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Vault } from '../../core/credentials/vault.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import type { Logger } from '../../process/logger.ts';
import { settings } from '../../settings/settings.ts';
import { type Database, isDatabaseUnavailable } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { type Owed, writeOwed } from '../../store/tables/owed.ts';
import type { OwedFile } from './owed-file.ts';
import { isHeld } from './presence.ts';
import { endings, type Records, unseal } from './records.ts';

export interface MakingUpParts {
  db: Database;
  notifier: Notifier;
  vault: Vault;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  folder: string;
  /** This process's own file: what its conversations have left behind is made up for as well. */
  own: OwedFile;
}

const lookEveryMs = 2_000;

/** Makes up for what hosts that are gone have left in the folder: once before this host takes anything up, and from time to time. */
export class MakingUp {
  readonly #parts: MakingUpParts;
  /** Sealed with a key that is not here; they stay for a process that has it. */
  readonly #closed = new Set<string>();
  /** Of which the system does not tell whether a host holds them: said once of each. */
  readonly #untold = new Set<string>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: MakingUpParts) {
    this.#parts = parts;
  }

  /** Resolves when the database has everything that can be read here. Never rejects: what could not be done is tried at the next look. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error))
          this.#parts.logger.warn({ err: error }, 'what is owed to the database could not be looked at');
      })
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { folder, own } = this.#parts;
    for (const path of await filesIn(folder)) {
      const presence = path.slice(0, -endings.file.length) + endings.presence;
      if (this.#closed.has(path) || !(await this.#isLeft(path, presence))) continue;
      const records = await this.#read(path);
      if (records) await this.#makeUpFor(path, presence, records);
    }
    const left = own.takeLeft();
    if (left.owed.length > 0) await this.#write(left.owed);
    left.made();
  }

  /** Whether its host is gone. Where the system does not say, it may be alive: an operator is asked to mend that, and the next look tells. */
  async #isLeft(path: string, presence: string): Promise<boolean> {
    try {
      return !(await isHeld(presence));
    } catch (error) {
      if (this.#untold.has(path)) return false;
      this.#untold.add(path);
      const fields = { err: error, file: basename(path), setting: settings.owedFolder.name };
      this.#parts.logger.error(
        fields,
        'whether a host that owes something lives cannot be told, and its file stays: give the folder and all in it to the user of the hosts',
      );
      return false;
    }
  }

  /** A file that cannot be read holds up no other; one that is gone was another host's to make up for. */
  async #read(path: string): Promise<Records | undefined> {
    try {
      return await unseal(this.#parts.vault, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      this.#closed.add(path);
      this.#parts.logger.warn({ err: error, file: basename(path) }, 'what a host owed cannot be read, and stays');
      return undefined;
    }
  }

  async #makeUpFor(path: string, presence: string, { owed, unreadable }: Records): Promise<void> {
    const { logger } = this.#parts;
    const file = basename(path, endings.file);
    const entered = await this.#write(owed);
    logger.info({ file, owed: owed.length, entered }, 'what a host that is gone owed the database is made up for');
    if (unreadable > 0) {
      this.#closed.add(path);
      return logger.warn({ file, unreadable }, 'what is owed is sealed with a master key that is not here, and stays');
    }
    await rm(path, { force: true });
    await rm(presence, { force: true });
  }

  /** Gives how many entries were new. */
  async #write(owed: readonly Owed[]): Promise<number> {
    let entered = 0;
    for (const ofSession of Map.groupBy(owed, ({ session }) => session).values())
      entered += await this.#writeSession(ofSession);
    return entered;
  }

  async #writeSession(owed: readonly Owed[]): Promise<number> {
    const { db, notifier, logger } = this.#parts;
    const [first] = owed;
    if (!first) return 0;
    try {
      const entered = (await writeOwed(db, first, owed)) ?? 0;
      // A host that has it by now looks for texts without an answer.
      if (entered > 0) notifier.tell(channels.session, `text ${first.session}`);
      return entered;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      logger.error({ err: error, session: hashPrefix(first.session) }, 'what is owed to a session was refused');
      return 0;
    }
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(endings.file)).map((name) => join(folder, name));
}
