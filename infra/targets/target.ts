import type { Part } from '../changes/part.ts';
import type { PartFolders } from '../changes/workloads.ts';
import type { Rule } from '../config-rules.ts';
import type { Cost } from '../cost.ts';
import type { Folders } from '../folders.ts';
import type { Facts } from '../plan/facts.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import type { Tenant } from '../tenant.ts';

/** Where a tenant may run. All that differs from place to place is behind this; nothing else asks for a target's name. */
export interface Target {
  /** How fields of a configuration go together there. */
  readonly rules: readonly Rule[];
  /** What the plan of a tenant has to know of the place. Pure. */
  facts(tenant: Tenant): Facts;
  /** Decides what only this target has. Pure: nothing is decided after it. */
  finish(plan: TenantPlan): FinishedPlan;
}

/** A plan that is ready to be made. */
export interface FinishedPlan {
  /** Undefined where nobody here knows what the cluster costs. */
  cost: Cost | undefined;
  /** Where the database's backups are made, beside its kind and namespace; for `parley doctor`. */
  backups: Readonly<Record<string, string>>;
  /** What runs, for a preview to say what a change of it means. Pure. */
  parts(folders: PartFolders): Part[];
  /** Makes everything. @returns what the stack gives out beside what every stack does */
  make(name: string, folders: Folders): Promise<Readonly<Record<string, unknown>>>;
}
