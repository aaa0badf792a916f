// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Name of an environment variable, such as OPENAI_API_KEY.
 */
export type EnvironmentName = string;
/**
 * A host name in lower case, such as acme.example.com.
 */
export type HostName = string;
/**
 * An image by digest: registry/name@sha256:…, as docker buildx imagetools inspect prints it.
 */
export type Image = string;
/**
 * An IPv4 range such as 10.0.0.0/8.
 */
export type Cidr = string;
/**
 * aws: create (own network and cluster), or {stack, slot} of another stack that shares its own.
 */
export type Foundation =
  | string
  | {
      /**
       * organization/project/stack.
       */
      stack: string;
      /**
       * A number of this tenant's own, 1 to the foundation's guests.count: its ports on the shared nodes and its database follow from it.
       */
      slot: number;
    };

/**
 * Configuration of one stack, which is one tenant: the keys parley:… of Pulumi.<stack>.yaml. The stack's name is the tenant's slug.
 */
export interface TenantConfiguration {
  /**
   * kubernetes: the cluster that the kubeconfig names. aws: EKS, RDS and load balancers.
   */
  target: 'kubernetes' | 'aws';
  /**
   * The name people see. Default: the stack's name.
   */
  name?: string;
  /**
   * The e-mail address of the first owner, who is invited at the first up. Another address withdraws the invitation until somebody has accepted it.
   */
  firstOwner?: string;
  signIn?: IdentityProvider;
  mail?: Mail;
  challenges?: Challenges;
  domain: HostName;
  capacity: DeclaredCapacity;
  images: Images;
  agents: AgentsSource;
  /**
   * A module beside Pulumi.yaml whose default export changes resources, such as their annotations, before the rules check them.
   */
  transforms?: string;
  phone?: Telephone;
  /**
   * The longest limits.maxDuration of this tenant's agents: room servers drain at least so long. 1m to 24h, default 1h.
   */
  longestConversation: string;
  features: Features;
  /**
   * Variables that agents' files refer to with {env: NAME}.
   */
  environment: {
    [k: string]: string;
  };
  /**
   * The same for keys: pulumi config set --secret --path 'parley:secrets.OPENAI_API_KEY'.
   */
  secrets: {
    [k: string]: string;
  };
  keys?: SealingKeys;
  rotation: Rotation;
  /**
   * Default info.
   */
  logLevel: 'debug' | 'info' | 'warn' | 'error';
  database: DatabaseChoice;
  kubernetes: ClusterSettings;
  network: NetworkSettings;
  foundation?: Foundation;
  guests?: Guests;
  aws: AwsSettings;
  /**
   * keda: agents scale on sessions; its operator must be there (on aws with its own foundation it is installed). fixed: always the planned number. Default keda.
   */
  autoscaling: 'keda' | 'fixed';
  monitoring: Monitoring;
  /**
   * The stack's own name: from the next up on, pulumi destroy erases the database, its dumps and the master keys. Without it they are protected.
   */
  mayErase?: string;
  cost: CostLimits;
}
/**
 * An identity provider by which people may sign in (OpenID Connect). It sends them back to https://<domain>/auth/oidc/callback.
 */
export interface IdentityProvider {
  /**
   * Its issuer, such as https://acme.okta.com.
   */
  issuer: string;
  /**
   * The name under which it knows us.
   */
  clientId: string;
  clientSecret?: EnvironmentName;
  /**
   * What the page calls it: Continue with …. Default single sign-on.
   */
  name?: string;
  /**
   * Whether people may sign in by a password, too. Default accepted; refused, the identity provider is the only way in.
   */
  passwords?: 'accepted' | 'refused';
}
/**
 * How invitations, and links to choose a new password, are mailed.
 */
export interface Mail {
  url: EnvironmentName;
  /**
   * The sender, such as Parley <no-reply@acme.example.com>.
   */
  from: string;
}
/**
 * How the answers to challenges are verified that agents ask of visitors (sessions.challenge in an agent's file).
 */
export interface Challenges {
  turnstile?: EnvironmentName;
  hcaptcha?: EnvironmentName;
}
/**
 * How many conversations at once; replicas, nodes and sizes follow from it.
 */
export interface DeclaredCapacity {
  /**
   * Spoken conversations at once.
   */
  voice: number;
  /**
   * Written conversations at once.
   */
  text: number;
  /**
   * allowed: agents go to zero while nobody talks, and the first sessions wait until a host has started. Default never.
   */
  coldStart: 'never' | 'allowed';
  /**
   * How long a session waits for a host with coldStart allowed; then it ends. Default 180.
   */
  coldStartSeconds: number;
}
/**
 * What runs, by digest: a tag can be moved, a digest cannot.
 */
export interface Images {
  services: Image;
  roomServer: Image;
  database?: Image;
  cache?: Image;
  sipBridge?: Image;
  pullSecret?: EnvironmentName;
}
/**
 * Where agents come from: a folder of this checkout, or a Git repository.
 */
export interface AgentsSource {
  /**
   * A folder beside Pulumi.yaml. Default agents, unless a repository is given.
   */
  folder?: string;
  /**
   * https://…, ssh://… or user@host:path, without a password in it.
   */
  repository?: string;
  /**
   * Default main.
   */
  branch: string;
  /**
   * The folder in the repository. Default agents.
   */
  path: string;
  /**
   * How often the repository is looked at. Default 5.
   */
  pollSeconds: number;
  token?: EnvironmentName;
  writeToken?: EnvironmentName;
  /**
   * Whether people may commit on the branch itself, not only propose. Default false.
   */
  directWrites: boolean;
  /**
   * The name that goes with the token. Default x-access-token.
   */
  tokenUser: string;
  sshKey?: EnvironmentName;
  /**
   * Lines of known_hosts; needed with sshKey.
   */
  sshKnownHosts?: string;
  pushSecret?: EnvironmentName;
  commitStatus?: CommitStatus;
  passesSecret?: EnvironmentName;
  /**
   * A folder beside Pulumi.yaml with the operator's own rules over agents.
   */
  policies?: string;
  /**
   * Whether a failing scenario refuses a revision or holds back its own agent only. Default whole.
   */
  activation: 'whole' | 'by-agent';
  /**
   * The model that scenarios run on. Default scripted.
   */
  scenarioModel: 'scripted' | 'declared';
  /**
   * How long a scenario may take. Default 120.
   */
  scenarioSeconds: number;
}
/**
 * Where a commit is told what came of it.
 */
export interface CommitStatus {
  /**
   * gitea is Forgejo, too.
   */
  host: 'github' | 'gitlab' | 'gitea';
  /**
   * The repository in the API of its host, such as https://api.github.com/repos/team/agents.
   */
  url: string;
  token: EnvironmentName;
}
/**
 * A SIP bridge, by which agents are called and call. Without it there is none.
 */
export interface Telephone {
  /**
   * Calls at once, both ways together, of the spoken conversations that capacity declares. How many bridges there are, and their ports of media, follow from it.
   */
  calls: number;
  /**
   * From where carriers signal, such as 203.0.113.16/28: the ranges that they publish.
   *
   * @minItems 1
   * @maxItems 10
   */
  carriers: Cidr[];
  /**
   * From where the sound of calls comes, where carriers publish other ranges for it. Default: carriers.
   *
   * @minItems 1
   * @maxItems 10
   */
  media?: Cidr[];
  /**
   * Ways to carriers that the stack declares: nobody changes them elsewhere, and one that is left out goes. People may add their own.
   *
   * @maxItems 20
   */
  trunks: DeclaredTrunk[];
  /**
   * Telephone numbers that the stack declares: nobody changes them elsewhere, and one that is left out goes. People may add their own.
   *
   * @maxItems 100
   */
  numbers: DeclaredNumber[];
}
export interface DeclaredTrunk {
  /**
   * By which numbers name it.
   */
  name: string;
  /**
   * Host, or host:port, of the carrier.
   */
  address: string;
  /**
   * How SIP is spoken with it. Default udp.
   */
  transport: 'udp' | 'tcp' | 'tls';
  /**
   * For digest authentication; goes with password.
   */
  username?: string;
  password?: EnvironmentName;
  /**
   * From which calls are taken: IP addresses, or networks such as 203.0.113.0/24. A trunk has a password, or some of these.
   *
   * @maxItems 50
   */
  allowedAddresses: string[];
  /**
   * What may be dialled, such as +49. Default: nothing.
   *
   * @maxItems 100
   */
  allowedPrefixes: string[];
  /**
   * Default 0: nothing is dialled.
   */
  maxDialsPerMinute: number;
  /**
   * Of each allowed prefix, by days of UTC. Default 0.
   */
  maxCallsPerDay: number;
  /**
   * The same, of minutes. Default 0.
   */
  maxMinutesPerDay: number;
}
export interface DeclaredNumber {
  /**
   * As +4930123456; in quotes, since YAML takes it for a number.
   */
  number: string;
  /**
   * The name of the trunk, of phone.trunks, that reaches it.
   */
  trunk: string;
  /**
   * Who answers: its file name without .yaml. Without it nobody does yet, and calls are refused.
   */
  agent?: string;
  /**
   * A language of the agent; its default otherwise.
   */
  language?: string;
  hours?: DeclaredHours;
  /**
   * What a caller hears who is not put through. Default busy.
   */
  whenRefused: 'busy' | 'sentence';
}
/**
 * When calls are taken. Default: always.
 */
export interface DeclaredHours {
  /**
   * IANA name of a time zone, such as Europe/Berlin.
   */
  zone: string;
  /**
   * Spans of the week; none: never.
   *
   * @maxItems 14
   */
  open: {
    /**
     * Days of the week.
     *
     * @minItems 1
     */
    days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    /**
     * The first minute, such as 09:00.
     */
    from: string;
    /**
     * The minute after the last one; at most 24:00.
     */
    to: string;
  }[];
}
/**
 * What this tenant may use.
 */
export interface Features {
  /**
   * Whether finished conversations are delivered. Default true.
   */
  webhook: boolean;
}
/**
 * Keys that seal what is stored, where they are not only the stack's own: taken over from another stack, or changed (secrets).
 */
export interface SealingKeys {
  /**
   * In order, of which the first seals and all open: k2:<base64 of 32 bytes>, or the name alone of one that the stack has: k1,k2:…
   */
  master?: string;
  /**
   * The same of the keys for people, of which the first signs and all verify.
   */
  people?: string;
}
/**
 * What the stack makes anew: a number more makes another one.
 */
export interface Rotation {
  /**
   * Of the services; each has a login of its own. Default 1.
   */
  databasePassword: number;
  /**
   * Of the role that owns the database. Default 1.
   */
  ownerPassword: number;
  /**
   * aws: of the role that RDS makes first. Default 1.
   */
  serverPassword: number;
  /**
   * Of Valkey. The one of before is taken as well, until the next. Default 1.
   */
  cachePassword: number;
  /**
   * aws: of the owners of all guests' databases, and of their users of the cache. Default 1.
   */
  guestPasswords: number;
  /**
   * How many keys room servers know. Default 1.
   */
  roomKeys: number;
  /**
   * Which of them processes and room servers sign with. Raise it by an up of its own, after roomKeys. Default 1.
   */
  roomKeyInUse: number;
}
/**
 * PostgreSQL. On aws it is RDS, and kind is left out.
 */
export interface DatabaseChoice {
  /**
   * On kubernetes: statefulset (one server and backups, the default), cloudnativepg (its operator must be there), existing (url and adminUrl).
   */
  kind?: 'statefulset' | 'cloudnativepg' | 'existing';
  /**
   * Default 20.
   */
  storageGib: number;
  /**
   * Default 14.
   */
  keepBackupsDays: number;
  /**
   * Where cloudnativepg archives to, such as s3://bucket/folder; without it there are volume snapshots only.
   */
  backupStore?: string;
  /**
   * Name of a Secret with ACCESS_KEY_ID and ACCESS_SECRET_KEY for backupStore.
   */
  backupCredentials?: string;
  /**
   * existing: postgres://role:password@host:port/database of the services' role (a secret).
   */
  url?: string;
  /**
   * existing: the same for a role that may create roles and owns the database (a secret).
   */
  adminUrl?: string;
  restoreFrom?: RestoreFrom;
  /**
   * A PEM file beside Pulumi.yaml that the server's certificate is checked with; needed on aws.
   */
  certificateAuthority?: string;
}
/**
 * aws: makes the database from another one's data, once: a snapshot, or an instance as it was at a time. It takes the place of the one that is there.
 */
export interface RestoreFrom {
  /**
   * Name or ARN of a snapshot, such as parley-acme-final-0a1b2c3d.
   */
  snapshot?: string;
  /**
   * Name of an instance that is there.
   */
  instance?: string;
  /**
   * With instance: 2026-11-20T10:00:00Z. Default: the latest moment that can be restored.
   */
  time?: string;
}
/**
 * What differs between clusters.
 */
export interface ClusterSettings {
  /**
   * Context of the kubeconfig that leads to the cluster of this stack; needed on kubernetes.
   */
  context?: string;
  /**
   * Default traefik, as in k3s.
   */
  ingressClass: string;
  /**
   * Where the ingress controller runs. Default kube-system, as in k3s.
   */
  ingressNamespace: string;
  /**
   * Default: the cluster's own default.
   */
  storageClass?: string;
  /**
   * A ClusterIssuer of cert-manager.
   */
  certificateIssuer?: string;
  /**
   * Name of a TLS secret that both namespaces hold, instead of an issuer.
   */
  certificateSecret?: string;
  /**
   * Where nodes have their addresses (kubectl get nodes -o wide), such as 203.0.113.7/32. Internal ports are open to them, so leave out the pods' range; needed on kubernetes.
   *
   * @minItems 1
   * @maxItems 20
   */
  nodeCidrs?: Cidr[];
  /**
   * What room servers tell clients: the node's own address, or the one a STUN server sees (behind NAT). Default node.
   */
  roomAddress: 'node' | 'discovered';
  /**
   * Labels of nodes that clients reach directly. Default: any node.
   */
  roomNodes: {
    [k: string]: string;
  };
}
/**
 * What our pods may reach beside each other and the public internet.
 */
export interface NetworkSettings {
  /**
   * Private ranges that workers and agents may reach: the Git host of the agents where it is in your network, models and tools of your own. Such as 10.20.0.7/32. Default: none, and then a private Git host cannot be read.
   *
   * @maxItems 50
   */
  mayReach: Cidr[];
  /**
   * Servers of models and speech of your own that agents may name (baseUrl) although they are inside your network, or without https; their addresses have to be in mayReach, too. Such as models.internal:8000. Default: none.
   *
   * @maxItems 50
   *
   * Items: The host of an address, with its port where it is not the usual one.
   */
  providerHosts: string[];
}
/**
 * aws: for how many tenants of other stacks this one's foundation is made. Without it nobody shares it.
 */
export interface Guests {
  /**
   * How many; their slots are 1 to count. A balancer takes 25 certificates beside its own.
   */
  count: number;
  /**
   * Spoken conversations of each at once, at most.
   */
  voice: number;
  /**
   * Written conversations of each at once, at most.
   */
  text: number;
}
/**
 * What only aws needs.
 */
export interface AwsSettings {
  hostedZone?: HostName;
  cidr: Cidr;
  /**
   * One that infra/versions.ts has a row for. Default 1.35.
   */
  kubernetesVersion: string;
  /**
   * From where the cluster's API may be reached, such as your office. Default: only from inside its network.
   *
   * @maxItems 20
   */
  operatorCidrs: Cidr[];
  /**
   * Roles and users of IAM that may do everything in the cluster, beside whoever creates it: who runs Pulumi and kubectl. Default: none.
   *
   * @maxItems 20
   *
   * Items: An ARN such as arn:aws:iam::123456789012:role/operators.
   */
  operators: string[];
  /**
   * Whether database and balancers refuse to be deleted; false before pulumi destroy. Default true.
   */
  deletionProtection: boolean;
}
/**
 * What the cluster's monitoring takes from us.
 */
export interface Monitoring {
  /**
   * Whether ServiceMonitor and PrometheusRule exist in this cluster. Default false.
   */
  prometheusOperator: boolean;
  /**
   * Whether dashboards are provisioned as ConfigMaps with the label grafana_dashboard. Default false.
   */
  grafanaDashboards: boolean;
  /**
   * Where Prometheus runs. Default monitoring.
   */
  namespace: string;
}
/**
 * What this tenant may cost; read on aws.
 */
export interface CostLimits {
  /**
   * The stack is refused when what runs without any conversation costs more in a month.
   */
  monthlyFloorUsd?: number;
  /**
   * What your providers of speech and models charge for a spoken minute; added to our own. Default 0.
   */
  providersUsdPerMinute: number;
}
