import { describe, expect, test } from 'vitest';
import { clusters, endingSoon, kubernetes, roomNodes } from './versions.ts';

const minorOf = (version: string) => Number(/^v?1\.(\d+)/.exec(version)?.[1]);

describe('versions that belong together', () => {
  test('are all of the same minor version of Kubernetes', () => {
    expect(Object.keys(clusters)).toContain(kubernetes.version);
    for (const [version, { nodes, addOns, autoscaler }] of Object.entries(clusters)) {
      const named = [nodes.kubernetes, nodes.release, addOns['kube-proxy'], autoscaler];
      expect(named.map(minorOf)).toEqual(named.map(() => minorOf(version)));
    }
  });

  test('have nodes for rooms that no cluster of the table is too old or too new for', () => {
    for (const { kubernetes: nodes, release } of [roomNodes.blue, roomNodes.green]) {
      expect(minorOf(release)).toBe(minorOf(nodes));
      for (const cluster of Object.keys(clusters)) {
        expect(minorOf(nodes)).toBeLessThanOrEqual(minorOf(cluster));
        expect(minorOf(cluster) - minorOf(nodes)).toBeLessThanOrEqual(3);
      }
    }
  });
});

describe('the end of support', () => {
  const versions = { Thing: { version: '2', supportEnds: '2027-03-27', source: 'its makers' } };

  test('is told 90 days before, and not earlier', () => {
    expect(endingSoon(new Date('2026-12-26T00:00:00Z'), versions)).toEqual([]);
    expect(endingSoon(new Date('2026-12-28T00:00:00Z'), versions)).toEqual([
      'Support of Thing 2 ends on 2027-03-27: infra/versions.ts, docs/operate/versions.md.',
    ]);
    expect(endingSoon(new Date('2028-01-01T00:00:00Z'), versions)).toHaveLength(1);
  });

  test('of what nobody names an end for is not made up', () => {
    expect(endingSoon(new Date('2040-01-01'), { Thing: { version: '2', source: 'nobody' } })).toEqual([]);
  });
});
