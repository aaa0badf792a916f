import { expect, test } from 'vitest';
import { configDifference } from './support/kubernetes-provider-config.ts';

const leadingTo = (server: string) => `
apiVersion: v1
current-context: default
clusters: [{name: c, cluster: {server: ${server}}}]
contexts: [{name: default, context: {cluster: c}}]`;

const here = { kubeconfig: leadingTo('https://10.0.0.1') };
const there = { kubeconfig: leadingTo('https://10.0.0.2') };
const named = (clusterIdentifier: string, config: object) => ({ ...config, clusterIdentifier });

test('a kubeconfig that leads to another address makes everything anew, unless the stack says which cluster it means', () => {
  expect(configDifference(here, there).replaces).toEqual(['kubeconfig']);
  expect(configDifference(named('acme', here), named('acme', there)).replaces).toEqual([]);
  expect(configDifference(named('acme', here), named('other', here)).replaces).toEqual(['clusterIdentifier']);
});

test('who says it from now on, or no longer, does not begin anew for that', () => {
  expect(configDifference(here, named('acme', here)).replaces).toEqual([]);
  expect(configDifference(named('acme', here), here).replaces).toEqual([]);
});
