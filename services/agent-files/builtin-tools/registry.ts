import { answeringMachine } from './answering-machine.ts';
import type { AbleBuiltinTool, BuiltinToolFile } from './builtin-tool.ts';
import { collect } from './collect.ts';
import { endCall } from './end-call.ts';
import { pressKeys } from './press-keys.ts';
import { switchLanguage } from './switch-language.ts';
import { transfer } from './transfer.ts';

/** Every built-in tool, in the order in which schemas and docs name them. After a change: `npm run generate`. */
const builtinTools = [endCall, switchLanguage, transfer, pressKeys, answeringMachine, collect] as const;

export type BuiltinTool = (typeof builtinTools)[number]['name'];

/** With their rows in the docs. */
export const listedBuiltins: readonly Pick<BuiltinToolFile, 'name' | 'docs'>[] = builtinTools;

export const builtinToolNames: readonly BuiltinTool[] = builtinTools.map(({ name }) => name);

type AbilityOf<Tool> = Tool extends AbleBuiltinTool<string, infer Ability> ? Ability : unknown;
type AbilitiesOf<Tools> = Tools extends readonly [infer First, ...infer Rest]
  ? AbilityOf<First> & AbilitiesOf<Rest>
  : unknown;

/** What the tools need of a conversation beyond what every one has: the host that holds it does it. */
export type Abilities = AbilitiesOf<typeof builtinTools>;

/** What stands for all of it where no host holds the conversation with the person. */
export const abilitiesElsewhere: Abilities = Object.assign(
  {},
  ...builtinTools.map((tool) => ('elsewhere' in tool ? tool.elsewhere : {})),
);

type Runnable = Pick<BuiltinToolFile, 'name' | 'declare'> & Pick<AbleBuiltinTool<string, Abilities>, 'run'>;

/** Undefined for one that this release does not have; a version stored by another release may name it. */
export const builtinNamed = (name: string): Runnable | undefined => builtinTools.find((tool) => tool.name === name);

export const isBuiltinTool = (name: string): name is BuiltinTool => builtinNamed(name) !== undefined;
