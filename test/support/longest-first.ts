import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A minute or more each; the size of a file, by which vitest begins, tells nothing of it. Those that wait (voices, faults in real time) and
 * those that work (engines of stacks, control planes, installations) take turns, so that the cores are neither idle nor fought for.
 */
const long = [
  'test/infra/tenant-on-kubernetes',
  'test/flows/voice/hosts',
  'test/nemesis/nemesis',
  'test/flows/voice/realtime-faults',
  'test/infra/tenant-on-aws',
  'test/flows/voice/conversation',
  'test/proofs/proofs',
  'test/flows/operator/launcher',
  'test/flows/voice/manners',
  'test/flows/hosts/handover',
  'test/infra/image',
  'test/flows/voice/failures',
  'test/flows/voice/realtime',
  'test/infra/tenant-as-processes',
  'test/store/proof-of-life',
  'test/infra/stand-ins',
  'test/flows/webhooks/queues',
  'test/flows/conversation/hostile-model',
  'test/flows/conversation/caps',
];

const rankOf = ({ moduleId, project }: TestSpecification) => {
  const rank = long.findIndex((path) => moduleId.includes(path));
  return project.config.sequence.groupOrder * 2 * long.length + (rank === -1 ? long.length : rank);
};

/** Vitest's own order, with the longest stories before all others: what starts late and takes long leaves the other workers idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}
