import { execFileSync } from 'node:child_process';
import { Agent, request } from 'undici';
import { parse } from 'yaml';

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: object[];
  };
  [field: string]: unknown;
}

export interface KubeReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** What the API server refused, in its own words. */
export class KubeError extends Error {
  override name = 'KubeError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface ApiResource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
}

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[];
  users: { user: { token: string } | { exec: { command: string; args: string[] } } }[];
}

const fieldManager = 'pulumi-stand-in';

/** The few calls of the Kubernetes API that tests need, on a kubeconfig with one cluster and one user. */
export class KubeApi {
  readonly #server: string;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #resources = new Map<string, Promise<ApiResource[]>>();

  constructor(kubeconfig: string) {
    const { clusters, users } = parse(kubeconfig) as Kubeconfig;
    const [{ cluster }, { user }] = [first(clusters), first(users)];
    this.#server = cluster.server;
    this.#token = 'token' in user ? user.token : tokenOf(user.exec);
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
    this.#agent = new Agent({ connect: { ca } });
  }

  /** Server-side apply. @throws KubeError where the API server refuses the object. */
  async apply(object: KubeObject, { dryRun = false, force = true } = {}): Promise<KubeObject> {
    const path = await this.#pathOf({ ...object, ...object.metadata });
    const query = `?fieldManager=${fieldManager}&force=${force}&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`;
    return this.#call('PATCH', `${path}${query}`, object, 'application/apply-patch+yaml');
  }

  /** The object, or undefined when it does not exist. */
  async read(reference: KubeReference): Promise<KubeObject | undefined> {
    return this.#orUndefined(async () => this.#call('GET', await this.#pathOf(reference)));
  }

  /** Asks for the object's end, with all that it owns; an object that is gone is fine. */
  async delete(reference: KubeReference): Promise<void> {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
    await this.#orUndefined(async () => this.#call('DELETE', await this.#pathOf(reference), options));
  }

  async list(apiVersion: string, kind: string, namespace?: string): Promise<KubeObject[]> {
    const path = (await this.#pathOf({ apiVersion, kind, name: '', namespace })).replace(/\/$/, '');
    return this.#items(path, apiVersion, kind);
  }

  /** Every object of the cluster whose kind can be listed and deleted, events aside. */
  async listEverything(): Promise<KubeObject[]> {
    const groups = await this.#get<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
    const versions = ['v1', ...groups.groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
    const lists = versions.map(async (apiVersion) => {
      const resources = (await this.#resourcesOf(apiVersion)).filter(
        ({ name, kind, verbs }) =>
          !name.includes('/') && kind !== 'Event' && verbs.includes('list') && verbs.includes('delete'),
      );
      const items = resources.map(({ name, kind }) =>
        this.#items(`${groupPath(apiVersion)}/${name}`, apiVersion, kind),
      );
      return (await Promise.all(items)).flat();
    });
    return (await Promise.all(lists)).flat();
  }

  async isReady(): Promise<boolean> {
    const { statusCode, body } = await this.#request('GET', '/readyz');
    await body.dump();
    return statusCode === 200;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #items(path: string, apiVersion: string, kind: string): Promise<KubeObject[]> {
    const { items } = await this.#get<{ items: KubeObject[] }>(path);
    return items.map((item) => ({ ...item, apiVersion, kind }));
  }

  async #pathOf({ apiVersion, kind, name, namespace }: KubeReference): Promise<string> {
    const resource = await this.#resourceOf(apiVersion, kind);
    const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
    return `${groupPath(apiVersion)}${scope}/${resource.name}/${name}`;
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<ApiResource> {
    const find = async () =>
      (await this.#resourcesOf(apiVersion)).find((one) => one.kind === kind && !one.name.includes('/'));
    const known = await find();
    if (known) return known;
    // Its definition may have come since.
    this.#resources.delete(apiVersion);
    const found = await find();
    if (!found) throw new KubeError(404, `the server has no ${kind} in ${apiVersion}`);
    return found;
  }

  #resourcesOf(apiVersion: string): Promise<ApiResource[]> {
    const asked =
      this.#resources.get(apiVersion) ??
      this.#get<{ resources: ApiResource[] }>(groupPath(apiVersion)).then(({ resources }) => resources);
    asked.catch(() => this.#resources.delete(apiVersion));
    this.#resources.set(apiVersion, asked);
    return asked;
  }

  async #orUndefined<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  #get<Answer>(path: string): Promise<Answer> {
    return this.#call('GET', path);
  }

  async #call<Answer>(method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object, type = 'application/json') {
    const answer = await this.#request(method, path, body, type);
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new KubeError(answer.statusCode, messageOf(text));
    return JSON.parse(text) as Answer;
  }

  #request(method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object, type = 'application/json') {
    return request(`${this.#server}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': type },
      ...(body && { body: JSON.stringify(body) }),
      headersTimeout: 60_000,
    });
  }
}

/** From the program that a kubeconfig names, as every client of Kubernetes asks it. */
function tokenOf({ command, args }: { command: string; args: string[] }): string {
  const { status } = JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as { status: { token: string } };
  return status.token;
}

const groupPath = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('the kubeconfig names no cluster or no user');
  return item;
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return text.trim();
  }
}
