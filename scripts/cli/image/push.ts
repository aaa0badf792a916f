import { Command } from '@commander-js/extra-typings';
import { build } from './build.ts';

export const command = new Command()
  .description("Builds the image and sends it to its registry; prints the reference that a stack's configuration takes")
  .argument('<name>', 'repository of the image, such as registry.example.com/parley; the tag is made of the content')
  .action((name) => build(name, { push: true }));
