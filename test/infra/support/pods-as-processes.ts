import { setTimeout as wait } from 'node:timers/promises';
import type { RunningService, ServiceName } from '../../support/world/installation.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeObject } from './kube-api.ts';
import type { TenantProcesses } from './tenant-processes.ts';

export interface PodProcesses extends AsyncDisposable {
  /** How many there are, those that are about to end among them. */
  count(): number;
  /** @throws what went wrong with one of them */
  check(): void;
}

interface PodProcess {
  service: Promise<RunningService>;
  graceMs: number;
}

const lookEveryMs = 500;

/** A process for each pod of a Deployment that kwok says is running, stopped as a kubelet stops it when the pod goes. */
export function runPods(
  { api }: ControlPlane,
  { tenant, namespace, name }: { tenant: TenantProcesses; namespace: string; name: ServiceName },
): PodProcesses {
  const processes = new Map<string, PodProcess>();
  const ending = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let fault: unknown;
  const note = (error: unknown) => {
    fault ??= error;
  };
  const look = async () => {
    const pods = (await api.list('v1', 'Pod', namespace)).filter((pod) => isOf(pod, name) && isRunning(pod));
    for (const { metadata, spec } of pods.filter(({ metadata }) => !processes.has(metadata.uid ?? ''))) {
      const service = tenant.start(name);
      service.catch(note);
      processes.set(metadata.uid ?? '', { service, graceMs: graceOf(spec) });
    }
    const gone = [...processes].filter(([uid]) => !pods.some(({ metadata }) => metadata.uid === uid));
    for (const [uid, process] of gone) {
      processes.delete(uid);
      const end = stop(process)
        .catch(note)
        .finally(() => ending.delete(end));
      ending.add(end);
    }
  };
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(note);
      await wait(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    count: () => processes.size + ending.size,
    check: () => {
      if (fault !== undefined) throw fault;
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await looking;
      await Promise.allSettled([...ending, ...[...processes.values()].map(({ service }) => service)]);
    },
  };
}

/** @throws when the process had ended by itself, or did not end well within its grace */
async function stop({ service, graceMs }: PodProcess): Promise<void> {
  const process = await service;
  if (!process.running) throw new Error(`a pod's process ended by itself:\n${process.output()}`);
  await process.stop(graceMs);
  const [code] = (await process.exited) as [number | null];
  if (code !== 0) throw new Error(`a pod's process did not end well (${code}):\n${process.output()}`);
}

const isOf = ({ metadata }: KubeObject, name: string) => metadata.labels?.['app.kubernetes.io/name'] === name;

const isRunning = ({ metadata, status }: KubeObject) =>
  (status as { phase?: string } | undefined)?.phase === 'Running' && !('deletionTimestamp' in metadata);

const graceOf = (spec: unknown) =>
  (spec as { terminationGracePeriodSeconds: number }).terminationGracePeriodSeconds * 1000;
