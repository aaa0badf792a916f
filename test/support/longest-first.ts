import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes each, most of it the engine's and other programs' work, or waiting; the size of a file, by which vitest begins, tells nothing of it. */
const long = [
  'test/infra/tenant-on-aws',
  'test/infra/tenant-on-kubernetes',
  'test/flows/operator/launcher',
  'test/nemesis/nemesis',
  'test/infra/tenant-as-processes',
  'test/infra/stand-ins',
  'test/infra/image',
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
