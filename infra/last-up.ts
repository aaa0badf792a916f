/** What the last up that ended well left in the stack's outputs, for a preview to say what changed since. */
import * as pulumi from '@pulumi/pulumi';
import type { Described } from './changes/words.ts';

/** Its name among the outputs. It is secret: it has what agents say. */
export const lastUpOutput = 'lastUp';

/** Pulumi's own function, by which references to stacks are read; as a resource it would be in the state of the stack that it reads. */
const readOutputs = 'pulumi:pulumi:readStackOutputs';

/** Undefined before the first up, and where the state cannot be read: then nothing is compared. */
export async function lastUp(): Promise<Described | undefined> {
  const name = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  const told = await pulumi.runtime.invoke(readOutputs, { name }, { async: true }).catch(async (error: Error) => {
    await pulumi.log.debug(`The outputs of the last up could not be read: ${error.message}`);
    return undefined;
  });
  const text = (told as { outputs?: Record<string, unknown> } | undefined)?.outputs?.[lastUpOutput];
  return typeof text === 'string' ? (JSON.parse(text) as Described) : undefined;
}

/** As an output of the stack. */
export const forNextTime = (described: Described): pulumi.Output<string> => pulumi.secret(JSON.stringify(described));
