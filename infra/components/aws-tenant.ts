import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../plan/addresses.ts';
import type { AwsPlan } from '../plan/aws.ts';
import type { TenantPlan } from '../plan.ts';
import { aliasRecord, Certificate } from './aws/certificate.ts';
import { serverAdmin } from './aws/database.ts';
import { type Foundation, sharedFoundation } from './aws/foundation.ts';
import { MediaBalancer } from './aws/media-balancer.ts';
import { OwnFoundation } from './aws/own-foundation.ts';
import { RoomDoors } from './aws/room-doors.ts';
import { AwsSecrets } from './aws/secrets.ts';
import { TenantRoutes } from './aws/tenant-routes.ts';
import { DatabaseCertificate } from './database-certificate.ts';
import { KeptSecrets } from './kept-secrets.ts';
import { Monitoring } from './monitoring.ts';
import { Namespaces } from './namespaces.ts';
import { NetworkPolicies } from './network-policies.ts';
import { databaseCertificateFile } from './process-files.ts';
import { RoomAdmission } from './room-admission.ts';
import { type Folders, Workloads } from './workloads.ts';

export interface AwsTenantArgs {
  plan: TenantPlan;
  aws: AwsPlan;
  folders: Omit<Folders, 'versions'>;
}

/** A tenant on AWS, on a foundation of its own or on another stack's. */
export class AwsTenant extends pulumi.ComponentResource {
  /** For tenants that share it; undefined where it is another stack's. */
  readonly foundation: Foundation | undefined;

  constructor(name: string, args: AwsTenantArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:AwsTenant', name, {}, opts);
    const { plan, aws: awsPlan, folders } = args;
    const { tenant, addresses } = plan;
    const child = { parent: this };
    const kept = new KeptSecrets(`${name}-secrets`, child);
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
    const foundation =
      own?.foundation ?? sharedFoundation(tenant.foundation === 'create' ? '' : tenant.foundation.stack, child);
    this.#openRooms(name, args, foundation, own, { arn: certificate.arn, zoneId });
    new TenantRoutes(
      name,
      { plan, aws: awsPlan, foundation, certificateArn: own ? undefined : certificate.arn },
      child,
    );
    aliasRecord(tenant.domain, { zoneId, balancer: foundation.balancer }, child);
    this.#run(name, args, foundation, kept, folders, own);
    this.registerOutputs({});
  }

  /** Media goes straight to the servers; TURN has a balancer where the foundation is this stack's. */
  #openRooms(
    name: string,
    { plan, aws: awsPlan }: AwsTenantArgs,
    foundation: Foundation,
    own: OwnFoundation | undefined,
    certificate: { arn: pulumi.Output<string>; zoneId: pulumi.Output<string> },
  ): void {
    const { turn } = plan.rooms.ports;
    const { turnHost } = plan.addresses;
    new RoomDoors(
      name,
      {
        plan,
        aws: awsPlan,
        securityGroupId: foundation.roomsSecurityGroupId,
        balancerSecurityGroupId: foundation.balancerSecurityGroupId,
        turnSecurityGroupId: own?.mediaBalancerSecurityGroupId,
      },
      { parent: this },
    );
    if (!own || !awsPlan.foundation || turn === undefined || turnHost === undefined) return;
    const balancer = new MediaBalancer(
      `${name}-turn`,
      {
        name: awsPlan.foundation.names.mediaBalancer,
        targetsName: awsPlan.names.turnTargets,
        tags: awsPlan.tags,
        vpcId: foundation.vpcId,
        subnetIds: own.network.publicSubnets.map(({ id }) => id),
        securityGroupId: own.mediaBalancerSecurityGroupId,
        certificateArn: certificate.arn,
        nodes: foundation.nodes.rooms,
        port: awsPlan.turnNodePort,
        deletionProtection: plan.tenant.aws.deletionProtection,
      },
      { parent: this },
    );
    aliasRecord(turnHost, { zoneId: certificate.zoneId, balancer }, { parent: this });
  }

  #run(
    name: string,
    { plan, aws: awsPlan }: AwsTenantArgs,
    foundation: Foundation,
    kept: KeptSecrets,
    folders: AwsTenantArgs['folders'],
    own: OwnFoundation | undefined,
  ): void {
    const provider = new k8s.Provider(
      name,
      { kubeconfig: foundation.kubeconfig, enableSecretMutable: true },
      { parent: this, ...(own ? { dependsOn: own } : {}) },
    );
    const child = { parent: this, providers: { kubernetes: provider } };
    const namespaces = new Namespaces(name, { plan }, child);
    const inNamespaces = { ...child, dependsOn: [namespaces] };
    const admission = new RoomAdmission(`${name}-admission`, { plan }, child);
    const policies = new NetworkPolicies(name, { plan }, inNamespaces);
    const cacheUrl = plan.cache
      ? pulumi.secret(pulumi.interpolate`${foundation.cacheUrl}/${plan.cache.databaseNumber}`)
      : undefined;
    const nodePorts = { signalling: awsPlan.roomsNodePort, turn: awsPlan.turnNodePort };
    const secretsOfTenant = plan.tenant.secrets;
    const secrets = new AwsSecrets(
      name,
      {
        plan,
        aws: awsPlan,
        clusterName: foundation.clusterName,
        values: {
          ...databaseSecrets(awsPlan, foundation, kept),
          'room-keys': { key: kept.roomKey, secret: kept.roomSecret },
          'master-keys': { keys: kept.masterKeys },
          ...(cacheUrl === undefined ? {} : { cache: { url: cacheUrl } }),
          ...(Object.keys(secretsOfTenant).length === 0 ? {} : { own: secretsOfTenant }),
        },
      },
      inNamespaces,
    );
    const { certificate } = new DatabaseCertificate(
      `${name}-database`,
      { plan, pem: folders.databaseCertificate ?? '' },
      inNamespaces,
    );
    new Workloads(
      name,
      {
        plan,
        folders,
        secretsVersion: secrets.version,
        rooms: { key: kept.roomKey, secret: kept.roomSecret, cacheUrl, nodePorts },
        files: { certificate, identity: secrets.identity },
        apiNodePort: awsPlan.apiNodePort,
      },
      { ...child, dependsOn: [namespaces, admission, policies, secrets] },
    );
    new Monitoring(`${name}-monitoring`, { plan }, inNamespaces);
  }
}

/** A database and a role of this tenant's own, on the foundation's server. */
function databaseSecrets({ database }: AwsPlan, { databaseAddress, databasePassword }: Foundation, kept: KeptSecrets) {
  const options = `sslmode=verify-full&sslrootcert=${databaseCertificateFile}`;
  const url = (role: string, password: pulumi.Output<string>, name: string) =>
    pulumi.secret(
      pulumi.interpolate`postgres://${role}:${password}@${databaseAddress}:${ports.database}/${name}?${options}`,
    );
  return {
    database: { url: url(database.role, kept.databasePassword, database.name) },
    'database-admin': { url: url(database.adminRole, kept.databaseAdminPassword, database.name) },
    'database-server': { url: url(serverAdmin, databasePassword, 'postgres') },
  };
}
