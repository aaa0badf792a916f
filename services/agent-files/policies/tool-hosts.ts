import type { AllowedHosts } from '../../contract/generated/policies.ts';
import { addressRefused } from './hosts.ts';
import type { Policy, PolicyFinding } from './policy.ts';

/** Tools call hosts on the allow-list only; the finding stands in the tool's file. */
export const toolHosts: Policy<AllowedHosts> = ({ tools }, allowed) =>
  tools.flatMap(({ name, http }): PolicyFinding[] => {
    const message = http && addressRefused(http.url, allowed);
    if (!http || message === undefined) return [];
    return [{ tool: name, path: ['http', 'url', ...(typeof http.url === 'string' ? [] : ['env'])], message }];
  });
