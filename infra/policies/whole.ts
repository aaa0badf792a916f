/** Rules over all resources together: what is missing is in none of them. */
import { isOnNodesNetwork } from './pods.ts';
import { at, type Candidate, isRecord, listAt } from './rule.ts';

const policyType = 'kubernetes:networking.k8s.io/v1:NetworkPolicy';
const namespaceType = 'kubernetes:core/v1:Namespace';

/** What a failure of `missingIn` is called by. */
export const wholeRule = 'default-deny';

export interface Missing {
  /** What a failure is called by. */
  rule: string;
  /** Which resource lacks it. */
  of: Candidate;
  sentence: string;
}

/** Room servers share their node's network, where no policy holds. */
export function missingIn(candidates: readonly Candidate[]): Missing[] {
  const closed = candidates.filter(refusesEverything).map(({ props }) => at(props, 'metadata.namespace'));
  return candidates
    .filter(({ type, props }) => type === namespaceType && !isOnNodesNetwork(nameOf(props)))
    .filter(({ props }) => !closed.includes(nameOf(props)))
    .map((of) => ({
      rule: wholeRule,
      of,
      sentence: 'It must have a NetworkPolicy over all of its pods that allows nothing, in neither direction.',
    }));
}

const nameOf = (props: Candidate['props']) => String(at(props, 'metadata.name'));

function refusesEverything({ type, props }: Candidate): boolean {
  const selector = at(props, 'spec.podSelector');
  const allows = [...listAt(props, 'spec.ingress'), ...listAt(props, 'spec.egress')];
  const directions = listAt(props, 'spec.policyTypes');
  return (
    type === policyType &&
    isRecord(selector) &&
    Object.keys(selector).length === 0 &&
    allows.length === 0 &&
    ['Ingress', 'Egress'].every((direction) => directions.includes(direction))
  );
}
