import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arnOf } from './aws-outputs.ts';
import { referredToBy } from './aws-rules.ts';
import type { Properties } from './property-values.ts';

export interface AccountResource {
  type: string;
  id: string;
  /** Its id was made up here, so that whoever mentions it refers to it. */
  isOwnId: boolean;
  inputs: Properties;
  properties: Properties;
}

/** The resources of a made-up account, as files in a folder: every run of the engine starts a new provider. */
export class Account {
  readonly #living: string;
  readonly #gone: string;
  readonly #snapshots: string;

  constructor(folder: string) {
    this.#living = join(folder, 'living');
    this.#gone = join(folder, 'gone');
    this.#snapshots = join(folder, 'snapshots');
    for (const part of [this.#living, this.#gone, this.#snapshots]) mkdirSync(part, { recursive: true });
  }

  put(resource: AccountResource): void {
    writeFileSync(join(this.#living, fileOf(resource)), JSON.stringify(resource));
  }

  get(type: string, id: string): AccountResource | undefined {
    return resourcesIn(this.#living).find((one) => one.type === type && one.id === id);
  }

  ofType(type: string): AccountResource[] {
    return resourcesIn(this.#living).filter((one) => one.type === type);
  }

  /** Names of databases' snapshots, which outlive them. */
  snapshots(): string[] {
    return readdirSync(this.#snapshots).map(decodeURIComponent);
  }

  keepSnapshot(name: string): void {
    writeFileSync(join(this.#snapshots, encodeURIComponent(name)), '');
  }

  /** @throws where another resource still refers to it, as AWS would. */
  remove(type: string, id: string): void {
    const resource = this.get(type, id);
    if (!resource) return;
    const users = resourcesIn(this.#living).filter((other) => other !== resource && refersTo(other.inputs, resource));
    const others = users.filter((other) => other.type !== type || other.id !== id);
    if (others.length > 0) {
      throw new Error(`${type} ${id} is still used by ${others.map((user) => `${user.type} ${user.id}`).join(', ')}`);
    }
    renameSync(join(this.#living, fileOf(resource)), join(this.#gone, fileOf(resource)));
  }

  /** Resources that are gone and that these inputs still refer to. */
  goneIn(inputs: Properties): string[] {
    const gone = resourcesIn(this.#gone).filter(({ type, id }) => this.get(type, id) === undefined);
    return gone.filter((resource) => refersTo(inputs, resource)).map(({ type, id }) => `${type} ${id}`);
  }
}

const fileOf = ({ type, id }: { type: string; id: string }) => encodeURIComponent(`${type} ${id}`);

const resourcesIn = (folder: string): AccountResource[] =>
  readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));

/** By its ARN, by an id that nothing else has, or by a name in a property that names such things. */
function refersTo(inputs: Properties, { type, id, isOwnId }: AccountResource): boolean {
  // Tags are words for people: they hold nothing up.
  const { tags: _tags, ...referring } = inputs;
  const text = JSON.stringify(referring);
  return (
    mentions(text, arnOf(type, id)) ||
    (isOwnId && mentions(text, id)) ||
    referredToBy(type).some((property) => referring[property] === id)
  );
}

function mentions(text: string, word: string): boolean {
  const exact = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^A-Za-z0-9-])${exact}([^A-Za-z0-9-]|$)`).test(text);
}
