import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Properties } from './property-values.ts';

export interface AccountResource {
  type: string;
  id: string;
  inputs: Properties;
  properties: Properties;
}

/** The resources of a made-up account, as files in a folder: every run of the engine starts a new provider. */
export class Account {
  readonly #living: string;
  readonly #gone: string;

  constructor(folder: string) {
    this.#living = join(folder, 'living');
    this.#gone = join(folder, 'gone');
    mkdirSync(this.#living, { recursive: true });
    mkdirSync(this.#gone, { recursive: true });
  }

  put(resource: AccountResource): void {
    writeFileSync(this.#file(resource.id), JSON.stringify(resource));
  }

  get(id: string): AccountResource | undefined {
    return this.all().find((resource) => resource.id === id);
  }

  all(): AccountResource[] {
    return readdirSync(this.#living).map((name) => JSON.parse(readFileSync(join(this.#living, name), 'utf8')));
  }

  /** @throws where another resource still refers to it, as AWS would. */
  remove(id: string): void {
    const users = this.all().filter((other) => other.id !== id && mentions(other.inputs, id));
    if (users.length > 0) {
      throw new Error(`${id} is still used by ${users.map((user) => `${user.type} ${user.id}`).join(', ')}`);
    }
    renameSync(this.#file(id), join(this.#gone, encodeURIComponent(id)));
  }

  /** Ids of resources that are gone and that these inputs still name. */
  goneIn(inputs: Properties): string[] {
    return readdirSync(this.#gone)
      .map(decodeURIComponent)
      .filter((id) => mentions(inputs, id));
  }

  #file(id: string): string {
    return join(this.#living, encodeURIComponent(id));
  }
}

/** Tags are words for people: they hold nothing up. */
function mentions({ tags, ...inputs }: Properties, id: string): boolean {
  const exact = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^A-Za-z0-9-])${exact}([^A-Za-z0-9-]|$)`).test(JSON.stringify(inputs));
}
