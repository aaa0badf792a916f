import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { DatabaseCertificate } from '../../components/database-certificate.ts';
import { KeptSecrets, keptFrom, type StackKeys } from '../../components/kept-secrets.ts';
import { Monitoring } from '../../components/monitoring.ts';
import { Namespaces } from '../../components/namespaces.ts';
import { NetworkPolicies } from '../../components/network-policies.ts';
import { databaseCertificateFile } from '../../components/process-files.ts';
import { PullSecret, registryOf } from '../../components/pull-secret.ts';
import { Quotas } from '../../components/quotas.ts';
import { admissionsOf } from '../../components/room-admission.ts';
import { Workloads } from '../../components/workloads.ts';
import type { Folders } from '../../folders.ts';
import { ports } from '../../plan/addresses.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import type { Tenant } from '../../tenant.ts';
import { aliasRecord, Certificate } from './certificate.ts';
import { serverAdmin } from './database.ts';
import { type Foundation, sharedFoundation } from './foundation.ts';
import { MediaBalancer } from './media-balancer.ts';
import type { NetworkBalancerArgs } from './network-balancer.ts';
import { OwnFoundation } from './own-foundation.ts';
import { PhoneBalancer } from './phone-balancer.ts';
import { type AwsPlan, adminOf, cacheUserOf, guestRole } from './plan.ts';
import type { Seat } from './seats.ts';
import { AwsSecrets } from './secrets.ts';
import { TenantRoutes } from './tenant-routes.ts';

export interface AwsTenantArgs {
  plan: TenantPlan;
  aws: AwsPlan;
  folders: Omit<Folders, 'versions'>;
}

/** A tenant on AWS, on a foundation of its own or on another stack's. */
export class AwsTenant extends pulumi.ComponentResource {
  /** For tenants that share it; undefined where it is another stack's. */
  readonly foundation: Foundation | undefined;
  /** Of the cluster, whoever's it is. */
  readonly kubeconfig: pulumi.Output<string>;
  readonly keys: StackKeys;
  /** What runs, to be waited for. */
  readonly deployments: readonly pulumi.CustomResource[];

  constructor(name: string, args: AwsTenantArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:AwsTenant', name, {}, opts);
    const { plan, aws: awsPlan, folders } = args;
    const { tenant, addresses } = plan;
    const child = { parent: this };
    const kept = new KeptSecrets(`${name}-secrets`, keptFrom(plan), child);
    this.keys = kept.all;
    const { zoneId } = aws.route53.getZoneOutput({ name: tenant.aws.hostedZone ?? '' }, child);
    const hosts: [string, ...string[]] = [
      tenant.domain,
      ...(addresses.turnHost === undefined ? [] : [addresses.turnHost]),
    ];
    const certificate = new Certificate(name, { names: hosts, zoneId, tags: awsPlan.tags }, child);
    const own = awsPlan.foundation
      ? new OwnFoundation(
          name,
          { plan, aws: awsPlan, foundation: awsPlan.foundation, kept, certificateArn: certificate.arn },
          child,
        )
      : undefined;
    this.foundation = own?.foundation;
    const foundation = own?.foundation ?? sharedFoundation(asGuest(tenant), child);
    this.kubeconfig = foundation.kubeconfig;
    this.#openRooms(name, args, foundation, own, { arn: certificate.arn, zoneId });
    this.#openPhone(name, args, foundation, own, zoneId);
    new TenantRoutes(
      name,
      {
        ...{ domain: tenant.domain, roomGraceSeconds: plan.rooms.graceSeconds },
        ...{ aws: awsPlan, foundation, certificateArn: own ? undefined : certificate.arn },
      },
      child,
    );
    aliasRecord(tenant.domain, { zoneId, balancer: foundation.balancer }, child);
    this.deployments = this.#run(name, args, foundation, kept, folders, own);
    this.registerOutputs({});
  }

  /** Media goes straight to the servers, by doors of the foundation; TURN has a balancer where that is this stack's. */
  #openRooms(
    name: string,
    { plan, aws: awsPlan }: AwsTenantArgs,
    foundation: Foundation,
    own: OwnFoundation | undefined,
    certificate: { arn: pulumi.Output<string>; zoneId: pulumi.Output<string> },
  ): void {
    const { turn } = plan.rooms.ports;
    const { turnHost } = plan.addresses;
    if (!own || !awsPlan.foundation || turn === undefined || turnHost === undefined) return;
    const balancer = new MediaBalancer(
      `${name}-turn`,
      {
        name: awsPlan.foundation.names.mediaBalancer,
        targetsName: awsPlan.names.turnTargets,
        ...beforeRooms({ plan, aws: awsPlan }, foundation, own),
        securityGroupId: own.mediaBalancerSecurityGroupId,
        certificateArn: certificate.arn,
        port: awsPlan.turnNodePort,
      },
      { parent: this },
    );
    aliasRecord(turnHost, { zoneId: certificate.zoneId, balancer }, { parent: this });
  }

  /** Calls come in by a balancer, and then go straight to the bridge that has them. */
  #openPhone(
    name: string,
    { plan, aws: awsPlan }: AwsTenantArgs,
    foundation: Foundation,
    own: OwnFoundation | undefined,
    zoneId: pulumi.Output<string>,
  ): void {
    if (!own?.phoneBalancerSecurityGroupId || !awsPlan.foundation || !plan.phone) return;
    const balancer = new PhoneBalancer(
      `${name}-phone`,
      {
        name: awsPlan.foundation.names.phoneBalancer,
        targetsName: awsPlan.names.phoneTargets,
        ...beforeRooms({ plan, aws: awsPlan }, foundation, own),
        securityGroupId: own.phoneBalancerSecurityGroupId,
        ports: plan.phone.ports,
      },
      { parent: this },
    );
    aliasRecord(`sip.${plan.tenant.domain}`, { zoneId, balancer }, { parent: this });
  }

  #run(
    name: string,
    { plan, aws: awsPlan }: AwsTenantArgs,
    foundation: Foundation,
    kept: KeptSecrets,
    folders: AwsTenantArgs['folders'],
    own: OwnFoundation | undefined,
  ): readonly pulumi.CustomResource[] {
    const provider = new k8s.Provider(
      name,
      {
        kubeconfig: foundation.kubeconfig,
        // Another kubeconfig for the same cluster must not make everything anew.
        clusterIdentifier: foundation.clusterName,
        enableSecretMutable: true,
        // As on any cluster (targets/kubernetes/tenant-cluster.ts).
        upsertExistingObjects: true,
        enablePatchForce: true,
      },
      { parent: this, ...(own ? { dependsOn: own } : {}) },
    );
    const child = { parent: this, providers: { kubernetes: provider } };
    const { scope, tenant } = plan;
    const namespaces = new Namespaces(
      name,
      { scope, erasable: plan.erasable, hasPhone: plan.phone !== undefined },
      child,
    );
    const registry = new PullSecret(`${name}-registry`, registryOf(plan), { ...child, dependsOn: [namespaces] });
    const inNamespaces = { ...child, dependsOn: [namespaces, registry] };
    const admission = admissionsOf(name, plan, child);
    const policies = new NetworkPolicies(name, { scope, traffic: plan.traffic, operated: false }, inNamespaces);
    const quotas = new Quotas(name, { scope, quota: plan.quota }, inNamespaces);
    const seat = seatAt(foundation, awsPlan.slot);
    const cacheUrl = plan.cache && cacheUrlOf(foundation, seat, plan.cache.databaseNumber);
    const nodePorts = { signalling: awsPlan.roomsNodePort, turn: awsPlan.turnNodePort };
    const secrets = new AwsSecrets(
      name,
      {
        ...{ scope, slug: tenant.slug, recoveryDays: tenant.aws.deletionProtection ? 30 : 0 },
        aws: awsPlan,
        clusterName: foundation.clusterName,
        variables: plan.variables,
        values: {
          ...databaseSecrets(awsPlan, foundation, seat, kept),
          'room-keys': kept.toldRoomKeys,
          'master-keys': { keys: kept.masterKeys },
          'people-keys': { keys: kept.peopleKeys },
          ...(cacheUrl === undefined ? {} : { cache: { url: cacheUrl } }),
          ...(Object.keys(tenant.secrets).length === 0 ? {} : { own: tenant.secrets }),
        },
      },
      inNamespaces,
    );
    const { certificate } = new DatabaseCertificate(
      `${name}-database`,
      { scope, pem: folders.databaseCertificate ?? '' },
      inNamespaces,
    );
    const { deployments } = new Workloads(
      name,
      {
        plan,
        folders,
        secretsVersions: secrets.versions,
        rooms: { used: kept.roomKey, known: kept.roomKeys, cacheUrl, nodePorts },
        files: { certificate, secrets: secrets.sources },
        apiNodePort: awsPlan.apiNodePort,
      },
      { ...child, dependsOn: [namespaces, registry, ...admission, policies, quotas, secrets] },
    );
    new Monitoring(
      `${name}-monitoring`,
      { scope, slug: tenant.slug, monitoring: tenant.monitoring, hasPhone: plan.phone !== undefined },
      inNamespaces,
    );
    return deployments;
  }
}

function asGuest({ foundation, ...tenant }: Tenant) {
  if (foundation === 'create') throw new Error('this tenant is no guest');
  return { ...tenant, foundation };
}

function seatAt({ seats }: Foundation, slot: number): Seat {
  const seat = seats[slot];
  if (!seat) throw new Error(`the foundation has no slot ${slot}`);
  return seat;
}

/** What balancers in front of the nodes of rooms have in common. */
const beforeRooms = (
  { plan, aws: { tags } }: Pick<AwsTenantArgs, 'plan' | 'aws'>,
  { vpcId, nodes }: Foundation,
  own: OwnFoundation,
): Pick<NetworkBalancerArgs, 'tags' | 'vpcId' | 'subnetIds' | 'nodes' | 'deletionProtection'> => ({
  tags,
  vpcId,
  subnetIds: own.network.publicSubnets.map(({ id }) => id),
  nodes: { blue: nodes['rooms-blue'], green: nodes['rooms-green'] },
  deletionProtection: plan.tenant.aws.deletionProtection,
});

const cacheUrlOf = ({ cacheAddress }: Foundation, { cachePassword }: Seat, number: number) =>
  pulumi.secret(pulumi.interpolate`rediss://${cacheUserOf(number)}:${cachePassword}@${cacheAddress}/${number}`);

/** A database and roles of this tenant's own; the server's are for whoever has made it, and so are its guests'. */
function databaseSecrets(
  { database, foundation: own }: AwsPlan,
  { databaseAddress, seats }: Foundation,
  seat: Seat,
  kept: KeptSecrets,
) {
  const options = `sslmode=verify-full&sslrootcert=${databaseCertificateFile}`;
  const url = (role: string, password: pulumi.Output<string>, name: string) =>
    pulumi.secret(
      pulumi.interpolate`postgres://${role}:${password}@${databaseAddress}:${ports.database}/${name}?${options}`,
    );
  const { 0: _own, ...ofGuests } = seats;
  const guestUrls = Object.entries(ofGuests).map(([slot, { databasePassword }]) =>
    url(adminOf(guestRole(slot)), databasePassword, guestRole(slot)),
  );
  return {
    database: { url: url(database.login, kept.databasePassword, database.name) },
    'database-admin': { url: url(database.adminRole, seat.databasePassword, database.name) },
    ...(own && { 'database-server': { url: url(serverAdmin, kept.databaseServerPassword, 'postgres') } }),
    ...(own?.guests && {
      'database-guests': { urls: pulumi.secret(pulumi.all(guestUrls).apply((urls) => urls.join(','))) },
    }),
  };
}
