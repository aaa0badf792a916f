/** Whether a stack's SIP bridges take calls, as its cluster tells. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, failed, ok, reason, warning } from './finding.ts';

const run = promisify(execFile);

interface Seen {
  spec?: { replicas?: number };
  status?: { readyReplicas?: number };
}

/** @param namespace of the bridges */
export async function checkTelephone(namespace: string, env = process.env): Promise<Finding> {
  const args = ['--namespace', namespace, 'get', 'deployment', 'phone', '--output', 'json'];
  try {
    const { stdout } = await run('kubectl', args, { timeout: 30_000, env });
    return bridgesFinding(JSON.parse(stdout) as Seen);
  } catch (error) {
    const todo = `"kubectl ${args.join(' ')}" must work here: install it and log in.`;
    return failed('telephone', `Nobody tells (${reason(error).split('\n')[0]}).`, todo);
  }
}

export function bridgesFinding({ spec, status }: Seen): Finding {
  const [wanted, ready] = [spec?.replicas ?? 0, status?.readyReplicas ?? 0];
  const says = `${ready} of ${wanted} SIP bridges take calls.`;
  const todo = 'See docs/runbooks/ParleyPhoneAway.md.';
  if (ready >= wanted) return ok('telephone', says);
  return ready === 0 ? failed('telephone', says, todo) : warning('telephone', says, todo);
}
