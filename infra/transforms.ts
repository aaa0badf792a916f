/** The operator's own changes of resources: annotations that their cluster wants, another class of disk, a name. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as pulumi from '@pulumi/pulumi';
import { Refusal } from './refusal.ts';

/** Default export of the module that `parley:transforms` names. */
export type Transform = pulumi.ResourceTransformation;

/** Call it before the rules are registered, which then look at what comes out. @throws Refusal when the module has none */
export async function useTransforms(root: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const told = await import(pathToFileURL(join(root, file)).href).catch((error: Error) => {
    throw new Refusal(`parley:transforms: ${file} beside Pulumi.yaml cannot be loaded: ${error.message}`);
  });
  const transform: unknown = told.default;
  if (typeof transform !== 'function')
    throw new Refusal(
      `parley:transforms: the default export of ${file} must be a function of {type, name, props, opts}.`,
    );
  pulumi.runtime.registerStackTransformation(transform as Transform);
}
