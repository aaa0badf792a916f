/** What people ask to have changed in an agent's file. The worker writes it: the API holds no token of the repository. */
import type { WebhookUrl } from '../../agent-files/edit/set-webhook.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import { Problem, problems } from '../../contract/problems.ts';
import { soon } from '../../process/soon.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  type AgentChangeRow,
  findChange,
  insertChange,
  type WantedScenario,
} from '../../store/tables/agent-changes.ts';
import { findAgentFile, findSource } from '../../store/tables/agent-sources.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { findPerson } from '../../store/tables/persons.ts';
import { type Acting, audited } from '../account/acting.ts';
import { once } from '../account/once.ts';
import type { Vault } from '../credentials/vault.ts';
import { newUuid } from '../sessions/ids.ts';

export interface AskDeps {
  db: Database;
  /** As the role for persons. */
  people: Database;
  vault: Vault;
}

export interface AskedChange {
  agent: string;
  wanted: { prompt: string } | { url: WebhookUrl } | WantedScenario;
  /** First line of the commit; one of ours where it is undefined. */
  message: string | undefined;
  /** `commit`: on the branch itself, where that is permitted. */
  as: 'proposal' | 'commit';
  /** Git's id of the file that the person had before them; undefined where they add to whatever is there. */
  editedFileId: string | undefined;
}

/** A push to a Git host takes seconds; whoever waits longer asks again. */
const waitMs = 20_000;
const lookEveryMs = 150;
/** One more than the worker's own count, which says why it gave up. */
const jobAttempts = 6;

/**
 * Has a change written, and gives it as it is after 20 s at most: pending where the worker takes longer.
 * @throws Problem `prompts_read_only`, `agent_not_found`, `invalid_request`, `idempotency_key_reused`, and what the worker was refused:
 * `prompt_conflict`, `prompt_not_editable`, `proposal_exists`, `branch_protected`, `unavailable`
 */
export async function askForChange(deps: AskDeps, acting: Acting, asked: AskedChange): Promise<AgentChangeRow> {
  const { db, people } = deps;
  const { tenant } = acting;
  const person = await findPerson(people, acting.person);
  const author = nameFor(person?.name ?? '');
  const { answer } = await once(deps, acting, (tx) => putChange(tx, acting, { ...asked, author }));
  const change = () => db.asTenant(tenant, (tx) => findChange(tx, answer.id));
  await soon(async () => ((await change())?.state === 'pending' ? undefined : true), {
    ...{ withinMs: waitMs, everyMs: lookEveryMs },
  });
  const row = await change();
  if (!row) throw problems.changeNotFound();
  if (row.problem) throw refusalOf(row.problem);
  return row;
}

const refusalOf = ({ status, code, message, details }: NonNullable<AgentChangeRow['problem']>) =>
  new Problem(status, code, message, details ? { details } : {});

/** What git takes for an author's name. */
const nameFor = (name: string): string =>
  name
    .replaceAll(/[<>\p{C}]/gu, ' ')
    .trim()
    .slice(0, 100) || 'Somebody';

async function putChange(tx: Tx, acting: Acting, { author, ...asked }: AskedChange & { author: string }) {
  const { agent, wanted } = asked;
  const isDirect = await directly(tx, asked.as);
  if (!(await findAgentFile(tx, agent))) throw problems.agentNotFound(agent);
  const id = newUuid();
  const kind = kindOf(wanted);
  await insertChange(tx, tx.tenant, {
    ...{ id, agent, author, kind, wanted, person_id: acting.person, is_direct: isDirect },
    message: asked.message ?? usualMessage(kind, agent),
    edited_file_id: asked.editedFileId ?? '',
  });
  await addJob(
    tx,
    'change_agent',
    { tenant: tx.tenant, change: id },
    { key: `change ${id}`, queue: `agents of ${tx.tenant}`, maxAttempts: jobAttempts },
  );
  const action: AuditAction = kind === 'scenario' ? 'scenario.added' : `${kind}.changed`;
  await audited(tx, acting, { action, target: agent, details: { change: id, as: isDirect ? 'commit' : 'proposal' } });
  return { id };
}

const kindOf = (wanted: AskedChange['wanted']): AgentChangeRow['kind'] => {
  if ('session' in wanted) return 'scenario';
  return 'prompt' in wanted ? 'prompt' : 'webhook';
};

const usualMessage = (kind: AgentChangeRow['kind'], agent: string): string =>
  kind === 'scenario' ? `Add a scenario of ${agent}` : `Change the ${kind} of ${agent}`;

/** Whether it goes to the branch, or the folder, itself. @throws Problem `prompts_read_only`, `invalid_request` */
async function directly(tx: Tx, as: AskedChange['as']): Promise<boolean> {
  const source = await findSource(tx);
  if (!source) throw problems.promptsReadOnly('No worker has read them yet: it must run, and be told where they are.');
  switch (source.writing) {
    case 'read_only':
      throw problems.promptsReadOnly(source.how ?? '');
    case 'file':
      return true;
    case 'direct':
      return as === 'commit';
    case 'proposal':
      if (as === 'proposal') return false;
      throw problems.invalidRequest(
        'Direct commits are not permitted here: leave "as" out for a proposal, or set agents.directWrites: true in the stack.',
      );
    default:
      return source.writing satisfies never;
  }
}
