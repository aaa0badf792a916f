import { bestEffort } from '../../process/best-effort.ts';
import type { Variables } from '../../process/variables.ts';
import type { Database } from '../../store/database.ts';
import { listNumbersOfTrunk } from '../../store/tables/numbers.ts';
import { listTrunks, locateTrunks, type TrunkRow } from '../../store/tables/trunks.ts';
import type { Bridge } from './bridge.ts';
import { changesOf, type WantedTrunk } from './bridge-state.ts';

export interface KeepBridgeDeps {
  db: Database;
  bridge: Bridge;
  /** What trunks may name for their passwords: variables that the operator has declared. */
  forAgents: { declared: Variables };
  /** Whether this worker is the one that tells; absent: it is the only one. */
  leads?: () => Promise<boolean>;
  onMissingVariable(trunk: string, variable: string): void;
}

/** Tells the SIP bridge what our tables say of trunks and numbers, as often as it is asked to look. */
export class BridgeKeeper {
  readonly #deps: KeepBridgeDeps;
  /** Variables that are missing, each told once. */
  readonly #told = new Set<string>();
  /** Without trunks there may be no bridge: then it is asked once whether it knows any, and that is all. */
  #isIdle = false;

  constructor(deps: KeepBridgeDeps) {
    this.#deps = deps;
  }

  /** @throws while the database or the room server does not answer */
  async look(): Promise<void> {
    const tenants = await locateTrunks(this.#deps.db);
    this.#isIdle &&= tenants.length === 0;
    if (this.#isIdle || (await this.#deps.leads?.()) === false) return;
    if (tenants.length > 0)
      return this.#keep((await Promise.all(tenants.map((tenant) => this.#wantedOf(tenant)))).flat());
    await bestEffort('a room server without Redis has no bridge to be told', this.#keep([]));
    this.#isIdle = true;
  }

  async #keep(wanted: readonly WantedTrunk[]): Promise<void> {
    const { bridge } = this.#deps;
    for (const change of changesOf(wanted, await bridge.known())) await bridge.change(change);
  }

  #wantedOf(tenant: string): Promise<WantedTrunk[]> {
    return this.#deps.db.asTenant(tenant, async (tx) => {
      const wanted: WantedTrunk[] = [];
      for (const trunk of await listTrunks(tx)) {
        const numbers = (await listNumbersOfTrunk(tx, trunk.id)).map(({ number }) => number);
        wanted.push({
          ...{ id: trunk.id, numbers, allowedAddresses: trunk.allowed_addresses },
          authUsername: trunk.auth_username ?? '',
          authPassword: this.#passwordOf(trunk),
        });
      }
      return wanted.filter(isWhole);
    });
  }

  #passwordOf({ name, auth_password: variable }: TrunkRow): string {
    const password = variable === null ? '' : (this.#deps.forAgents.declared[variable] ?? '');
    if (variable !== null && password === '' && !this.#told.has(variable)) {
      this.#told.add(variable);
      this.#deps.onMissingVariable(name, variable);
    }
    return password;
  }
}

/** A trunk that asks for a password and has none would take calls without. */
const isWhole = ({ authUsername, authPassword }: WantedTrunk): boolean => authUsername === '' || authPassword !== '';
