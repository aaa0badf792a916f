import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes each, most of it the engine's and other programs' work, or waiting. For the first run on a machine: later ones know how long each file took. */
const long = [
  'test/infra/tenant-on-aws',
  'test/infra/tenant-on-kubernetes',
  'test/flows/operator/launcher',
  'test/nemesis/nemesis',
  'test/infra/tenant-as-processes',
  'test/infra/stand-ins',
  'test/infra/image',
];

/**
 * Vitest's own order: the longest before, by what earlier runs on this machine took, and by size, which tells nothing of it, where there
 * was none; then those of the list come first. What starts late and takes long leaves the other workers idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => this.#rankOf(a) - this.#rankOf(b));
  }

  #rankOf(file: TestSpecification): number {
    const isMeasured = this.ctx.cache.getTestSpecificationResult(file) !== undefined;
    const rank = isMeasured ? -1 : long.findIndex((path) => file.moduleId.includes(path));
    return file.project.config.sequence.groupOrder * 2 * long.length + (rank === -1 ? long.length : rank);
  }
}
