import type { TenantConfiguration } from '../../../services/contract/generated/tenant.ts';
import { fault, type Rule } from '../../config-rules.ts';
import { isRedundant } from '../../plan/agents.ts';

const usesStatefulset = ({ database }: TenantConfiguration) => (database.kind ?? 'statefulset') === 'statefulset';

/** How fields go together where a tenant runs on a cluster that is there. */
export const rules: readonly Rule[] = [
  (config) =>
    usesStatefulset(config) &&
    config.images.database === undefined &&
    fault('images.database', 'PostgreSQL runs in the cluster, so give its image by digest.'),
  ({ capacity, images }) =>
    isRedundant(capacity) &&
    images.cache === undefined &&
    fault('images.cache', 'This capacity takes several replicas, which need Valkey: give its image by digest.'),
  ({ phone, images }) =>
    phone !== undefined &&
    images.cache === undefined &&
    fault('images.cache', 'Room servers and the SIP bridge talk by Valkey: give its image by digest.'),
  ({ database }) =>
    database.kind === 'existing' &&
    (database.url === undefined || database.adminUrl === undefined) &&
    fault('database', 'An existing database needs url and adminUrl.'),
  ({ kubernetes }) =>
    (kubernetes.certificateIssuer === undefined) === (kubernetes.certificateSecret === undefined) &&
    fault('kubernetes', 'Name either certificateIssuer or certificateSecret: rooms need TLS.'),
  ({ kubernetes }) =>
    kubernetes.nodeCidrs === undefined &&
    fault(
      'kubernetes.nodeCidrs',
      'Say where nodes have their addresses (kubectl get nodes -o wide), such as 203.0.113.7/32: room servers reach internal ports from there.',
    ),
  ({ kubernetes }) =>
    kubernetes.context === undefined &&
    fault(
      'kubernetes.context',
      'Name the context of the kubeconfig (kubectl config current-context): a stack belongs to one cluster, whichever context is in use.',
    ),
  ({ database, images }) =>
    database.kind === 'cloudnativepg' &&
    images.database !== undefined &&
    !/:[^/@]+@sha256:/.test(images.database) &&
    fault(
      'images.database',
      "CloudNativePG reads PostgreSQL's version from the tag: give it with the digest, such as postgresql:18@sha256:….",
    ),
  ({ foundation }) => foundation !== undefined && fault('foundation', 'Only aws has foundations: leave it out.'),
  ({ database }) =>
    database.restoreFrom !== undefined &&
    fault(
      'database.restoreFrom',
      'Only RDS restores so: here the CronJob database-restore does (docs/operate/backups.md).',
    ),
  ({ database, rotation }) =>
    database.kind === 'existing' &&
    rotation.ownerPassword > 1 &&
    fault('rotation.ownerPassword', 'The database is not the stack’s: change its password there, and adminUrl here.'),
  ({ rotation }) =>
    rotation.serverPassword > 1 && fault('rotation.serverPassword', 'Only RDS has such a role: leave it out.'),
  ({ rotation }) =>
    rotation.guestPasswords > 1 &&
    fault('rotation.guestPasswords', 'Only aws has foundations with guests: leave it out.'),
  ({ guests }) => guests !== undefined && fault('guests', 'Only aws has foundations that others share: leave it out.'),
];
