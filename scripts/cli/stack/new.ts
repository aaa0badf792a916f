import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from './new/count.ts';

const several = (text: string, before: string[]) => [...before, ...text.split(',')];

export const command = new Command()
  .description("Asks what a tenant's stack needs, looks up what can be, and writes its file")
  .argument('<name>', 'of the stack, which is the name of the tenant: lower-case letters, digits, hyphens')
  .option('--target <target>', 'kubernetes (the cluster of a context) or aws')
  .option('--domain <host name>', 'where its customers reach it')
  .option('--voice <count>', 'spoken conversations at once', wholeNumber)
  .option('--text <count>', 'written conversations at once', wholeNumber)
  .option('--services <image>', 'what "parley image push" printed')
  .option('--owner <e-mail>', 'who is invited first; nobody where it is left out')
  .optionsGroup('On kubernetes:')
  .option('--context <name>', 'of the kubeconfig; otherwise the current one')
  .option('--issuer <name>', 'a ClusterIssuer; otherwise the only one that the cluster has')
  .option('--node-cidr <range>', 'where nodes have their addresses; otherwise as the cluster says', several, [])
  .optionsGroup('On aws:')
  .option('--region <region>', 'such as eu-west-1')
  .option('--zone <name>', 'the public Route 53 zone that the domain lies in; otherwise what is behind its first dot')
  .option('--operator-cidr <range>', 'from where the cluster is reached, such as your office', several, [])
  .option(
    '--foundation <stack>',
    'organization/project/stack whose network and cluster it shares; a free slot is looked up',
  )
  .addHelpText(
    'after',
    `
Writes Pulumi.<name>.yaml beside Pulumi.yaml, and on aws the certificates of RDS. What is not given is asked on a terminal; without one
it must be given. Digests are looked up by Docker, the cluster is asked by kubectl. What cannot work is refused, and then nothing is written.`,
  )
  .action(async (name, given) => {
    // What stacks are made of is no part of the image, where this file is read for the general help.
    const { newStack } = await import('./new/write.ts');
    await newStack(name, given);
  });
