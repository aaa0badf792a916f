import { Command } from '@commander-js/extra-typings';
import { build } from './build.ts';
import { platformOfNodes } from './content/build-flags.ts';

export const command = new Command()
  .description("Builds the image and sends it to its registry; prints the reference that a stack's configuration takes")
  .argument('<name>', 'repository of the image, such as registry.example.com/parley; the tag is made of the content')
  .option(
    '--platform <platforms>',
    'what nodes are: linux/amd64, linux/arm64, or both with a comma between',
    platformOfNodes,
  )
  .action((name, { platform }) => build(name, { push: true, platform }));
