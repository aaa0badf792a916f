/** A person's change of an agent's file, and whether it may be made. Pure; where it is written is somebody else's. */
import { type CheckOptions, checkFiles } from '../../agent-files/check-files.ts';
import { setPrompt } from '../../agent-files/edit/set-prompt.ts';
import { setWebhookUrl, type WebhookUrl } from '../../agent-files/edit/set-webhook.ts';
import { type Fault, isError } from '../../agent-files/faults.ts';
import { problems } from '../../contract/problems.ts';
import type { Draft } from '../scenarios/from-conversation.ts';
import { appended } from '../scenarios/scenario-text.ts';

/** What is to be different. A scenario is added at the end of the agent's. */
export type Wanted = { prompt: string } | { url: WebhookUrl } | { scenario: Draft };

/** The file that says it, within the agents' folder. */
export const fileOf = ({ agent, wanted }: { agent: string; wanted: Wanted }): string =>
  'scenario' in wanted ? `scenarios/${agent}.yaml` : `${agent}.yaml`;

export interface ChangedFile {
  text: string;
  /** That the change brings; errors refuse it. */
  warnings: Fault[];
}

/**
 * The text of its file with the change, judged as a revision would be, policies included.
 * @param texts of all agents' files by name; the changed text is put in its place
 * @throws Problem `prompt_not_editable`, `invalid_request` with every fault and its place
 */
export function changedFile(
  texts: Map<string, string>,
  { agent, wanted }: { agent: string; wanted: Wanted },
  options: CheckOptions,
): ChangedFile {
  const name = fileOf({ agent, wanted });
  const old = texts.get(name);
  const text = changed(old, wanted);
  if (text === undefined) throw problems.promptNotEditable(agent);
  const before = checkFiles(texts, options).faults.map(identityOf);
  const { faults } = checkFiles(texts.set(name, text), options);
  // What was wrong elsewhere before is for its own author: it must not lock this one out.
  const fresh = faults.filter((fault) => !before.includes(identityOf(fault)));
  refuseErrors(fresh.filter(isError));
  return { text, warnings: text === old ? [] : fresh };
}

function changed(old: string | undefined, wanted: Wanted): string | undefined {
  if ('scenario' in wanted) return appended(old, wanted.scenario);
  return 'prompt' in wanted ? setPrompt(old ?? '', wanted.prompt) : setWebhookUrl(old ?? '', wanted.url);
}

/** Lines move when a prompt grows, so the place is no part of it. */
const identityOf = ({ file, rule, message }: Fault): string => `${file}\n${rule}\n${message}`;

function refuseErrors(errors: readonly Fault[]): void {
  const [first] = errors;
  if (!first) return;
  throw problems.invalidRequest(
    `With this change the agent would be refused: ${first.message}`,
    errors.map(({ file, line, column, message }) => ({ path: `${file}:${line}:${column}`, message })),
  );
}
