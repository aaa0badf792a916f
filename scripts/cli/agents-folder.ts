import { Option } from '@commander-js/extra-typings';
import { agentsFolder, givenPath } from '../toolchain/given-path.ts';

/** `--agents <folder>`, for every command that reads or writes agents' files. */
export const agentsOption = () =>
  new Option('--agents <folder>', 'folder of the agents')
    .argParser(givenPath)
    .default(agentsFolder(undefined), 'agents');
