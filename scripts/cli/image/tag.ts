import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { contentTag } from './content/tag.ts';

export const command = new Command()
  .description('Prints the tag of the image, which is made of its content: the same files have the same tag')
  .action(async () => console.log(await contentTag(join(import.meta.dirname, '../../..'))));
