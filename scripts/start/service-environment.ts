/** What a service of the local start finds in its environment: what it reads, and no more. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentVariablesIn } from '../../services/agent-files/definition/agent-variables.ts';
import { ofSystem } from '../../services/process/system-variables.ts';
import type { Variables } from '../../services/process/variables.ts';
import type { Setting } from '../../services/settings/setting.ts';
import { namesIn, settings, settingsIn } from '../../services/settings/settings.ts';
import { variables } from '../../services/settings/write.ts';
import { storageFault } from '../toolchain/fault.ts';

type Service = 'api' | 'worker' | 'agent';

/** The worker passes them on to scenarios. */
const ofJudge = namesIn(settings.judge.settings);

const all: readonly Setting[] = settingsIn(settings).map(({ setting }) => setting);

export interface Given {
  /** What the person has set. */
  theirs: Variables;
  /** What the start itself says, to whichever service; it goes before theirs. */
  ours: Readonly<Record<string, string>>;
}

/**
 * The environment of a service. Of what the start says, the secrets stand in files of `folder`, which is made anew; what the person
 * has set is passed on as it came, so that no key of theirs is written down.
 */
export async function serviceEnvironment(
  service: Service,
  { theirs, ours }: Given,
  folder: string,
): Promise<Record<string, string | undefined>> {
  const given = { ...theirs, ...ours };
  const read = all.filter(({ readBy }) => Object.hasOwn(readBy, service));
  const inFiles = read.flatMap(({ name, secret }) => (secret && ours[name] !== undefined ? [name] : []));
  await writeSecrets(folder, only(inFiles, ours));
  const inEnvironment = read.flatMap(({ name, namesSecret }) => [name, ...(namesSecret ? [given[name] ?? ''] : [])]);
  return {
    ...ofSystem(given),
    ...(service === 'api' ? {} : ofAgents(given)),
    ...(service === 'worker' ? only(ofJudge, given) : {}),
    ...only(
      inEnvironment.filter((name) => !inFiles.includes(name)),
      given,
    ),
    ...variables({ secretsFolder: folder }),
  };
}

async function writeSecrets(folder: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of Object.entries(secrets)) await writeFile(join(folder, name), text, { mode: 0o600 });
  } catch (error) {
    throw storageFault(error, folder);
  }
}

/** Tools and webhooks are for the host and the worker, and so are models. */
const ofAgents = (given: Variables): Variables => agentVariablesIn(given).ofProviders;

const only = (names: readonly string[], given: Variables): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
