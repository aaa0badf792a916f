import { automation } from '@pulumi/pulumi';
import { type PulumiHome, ShellStack } from './pulumi.ts';

/** How many resources are made, changed, replaced and deleted. */
export type Changes = Partial<Record<'create' | 'update' | 'replace' | 'delete', number>>;

/** What an operator does with a stack, whichever way. */
export interface OperatedStack {
  /** What it says, and what would change. */
  preview(): Promise<{ output: string; changes: Changes }>;
  up(): Promise<Changes>;
  /** @throws when there is anything to change */
  upUnchanged(): Promise<void>;
  /** @throws when anything is not as it was made */
  refreshUnchanged(): Promise<void>;
  /** @param path such as `parley:capacity.text` */
  set(path: string, value: string): Promise<void>;
  destroy(): Promise<void>;
  /** Forgets the stack itself. */
  remove(): Promise<void>;
}

type Way = (home: PulumiHome, project: string, name: string) => Promise<OperatedStack>;

const inAShell: Way = async (home, project, name) => {
  const stack = new ShellStack(home, project, name);
  await stack.init();
  return {
    preview: async () => {
      const output = await stack.preview();
      return { output, changes: changesIn(output) };
    },
    up: async () => changesIn(await stack.up()),
    upUnchanged: async () => void (await stack.up('--expect-no-changes')),
    refreshUnchanged: async () => void (await stack.refresh('--expect-no-changes')),
    set: async (path, value) => void (await stack.set(path, value)),
    destroy: async () => void (await stack.destroy()),
    remove: async () => void (await stack.remove()),
  };
};

/** Its last lines are such as `+ 12 created`, or `~ 3 to update`. */
function changesIn(output: string): Changes {
  const lines = output.matchAll(/^ +[+~-]+ ?(\d+) (?:to )?(create|update|replace|delete)d?$/gm);
  return Object.fromEntries([...lines].map(([, count, kind]) => [kind, Number(count)]));
}

export const byTheAutomationApi: Way = async (home, project, name) => {
  const stack = await automation.LocalWorkspace.createStack(
    { stackName: name, workDir: project },
    {
      pulumiCommand: await automation.PulumiCommand.get({ root: home.installation }),
      pulumiHome: home.env.PULUMI_HOME ?? '',
      envVars: home.env,
    },
  );
  return {
    preview: async () => {
      const { stdout, changeSummary } = await stack.preview();
      return { output: stdout, changes: changeSummary };
    },
    up: async () => (await stack.up()).summary.resourceChanges ?? {},
    upUnchanged: async () => void (await stack.up({ expectNoChanges: true })),
    refreshUnchanged: async () => void (await stack.refresh({ expectNoChanges: true })),
    set: (path, value) => stack.setConfig(path, { value }, true),
    destroy: async () => void (await stack.destroy()),
    remove: () => stack.workspace.removeStack(name),
  };
};

/** In a shell, as people do it; `npm run soak -- infra` also goes the way of programs, which takes as long again. */
export const ways: readonly [string, Way][] = [
  ['in a shell', inAShell],
  ...(process.env.SOAK_INFRA ? [['through the Automation API', byTheAutomationApi] as [string, Way]] : []),
];
