/** The program of a stack, which is a tenant: reads its configuration, decides, creates. */
import * as pulumi from '@pulumi/pulumi';
import { declaredOf } from './changes/telephone.ts';
import { type Described, previewInWords } from './changes/words.ts';
import { Behaviour } from './components/behaviour.ts';
import { readTenant } from './config.ts';
import { costInWords, keepWithinBudget } from './cost.ts';
import { readFolders } from './folders.ts';
import { forNextTime, lastUp, lastUpOutput } from './last-up.ts';
import { refusePlaintext } from './plaintext.ts';
import { planTenant } from './plan.ts';
import { enforcePolicies } from './policies/enforce.ts';
import { Refusal } from './refusal.ts';
import { targets } from './targets/registry.ts';
import { useTransforms } from './transforms.ts';

/** All that can be wrong with what is written is told before anything is asked for. @throws Refusal */
async function decide() {
  const tenant = readTenant(pulumi.getStack(), pulumi.runtime.allConfig());
  await refusePlaintext(pulumi.runtime.getRootDirectory(), tenant.slug);
  const plan = planTenant(tenant);
  const finished = targets[tenant.target].finish(plan);
  const { cost } = finished;
  if (cost) {
    await pulumi.log.info(costInWords(cost));
    keepWithinBudget(cost, tenant.cost);
  }
  const folders = await readFolders(tenant, pulumi.runtime.getRootDirectory());
  const described: Described = {
    parts: finished.parts(folders),
    agents: folders.versions,
    telephone: declaredOf(tenant.phone),
    monthlyUsd: cost?.monthlyFloorUsd,
  };
  await pulumi.log.info(previewInWords(await lastUp(), described));
  // Before the rules, which look at what comes out.
  await useTransforms(pulumi.runtime.getRootDirectory(), tenant.transforms);
  return { plan, finished, folders, described };
}

const { plan, finished, folders, described } = await decide().catch((error: unknown) => {
  throw error instanceof Refusal ? new pulumi.RunError(error.message) : error;
});
const checkWhole = enforcePolicies(plan.tenant.slug, plan.erasable);

new Behaviour(plan.names.prefix, { source: plan.tenant.agents, agents: folders.versions });
const own = await finished.make(plan.names.prefix, folders);
checkWhole();

/** Where commands find what they need. */
const inWorker = `kubectl --namespace ${plan.names.namespace} exec deploy/worker --`;

/** What the stack gives out. Left out is what a target does not have. */
export default {
  /** Where the tenant's customers reach it. */
  url: plan.addresses.publicUrl,
  /** Prints the key and secret of an agent. */
  credentials: `${inWorker} parley credentials show <agent>`,
  /** Prints the link of the first owner's invitation. */
  ...(plan.tenant.firstOwner !== undefined && {
    invitation: `${inWorker} parley invitation show --url ${plan.addresses.publicUrl}`,
  }),
  /** Where the database's backups are made; `parley doctor` asks there for their age. */
  backups: {
    kind: plan.database.kind,
    namespace: plan.names.namespace,
    ...finished.backups,
  },
  /** Namespace of the SIP bridges; `parley doctor` asks there whether they take calls. */
  ...(plan.phone && { phone: plan.names.phoneNamespace }),
  /** The month while nobody talks, and 1 000 spoken minutes. */
  ...(finished.cost && { cost: finished.cost }),
  ...own,
  /** What the next preview compares with. */
  [lastUpOutput]: forNextTime(described),
};
