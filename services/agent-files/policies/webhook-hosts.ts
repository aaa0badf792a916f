import type { AllowedHosts } from '../../contract/generated/policies.ts';
import { addressRefused } from './hosts.ts';
import type { Policy } from './policy.ts';

/** Finished conversations are delivered to hosts on the allow-list only. */
export const webhookHosts: Policy<AllowedHosts> = ({ settings }, allowed) => {
  const url = settings.webhook?.url;
  if (url === undefined) return [];
  const message = addressRefused(url, allowed);
  if (message === undefined) return [];
  return [{ path: ['webhook', 'url', ...(typeof url === 'string' ? [] : ['env'])], message }];
};
