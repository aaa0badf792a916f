/** docs/settings.md, from the declarations of services/settings. */
import { optional, required, type Setting } from '../../services/settings/setting.ts';
import { type Declared, settingsIn, subjects } from '../../services/settings/settings.ts';

const opening = `<!-- Generated from services/settings by \`npm run generate\`. Do not edit. -->

# Settings

Every variable of the environment that is ours: what it is for, what it holds, who reads it, and what each reader takes where it is
missing or empty. A process that cannot use its variables says so at its start, all faults at once, and ends. Marked **secret**: no
process shows its value, and a stack keeps it in a Secret. A stack sets what its processes need by itself; \`npm start\` does, too.
`;

const columns = ['Variable', 'What it is for', 'Holds', 'Read by, and where missing'];

export function settingsPage(): string {
  const tables = Object.entries(subjects).map(([title, tree]) => `## ${title}\n\n${table(settingsIn(tree))}`);
  return `${[opening, ...tables].join('\n')}`;
}

function table(declared: readonly Declared[]): string {
  const rows = declared.map(({ setting, onlyWith, opens }) => [
    `\`${setting.name}\`${setting.secret ? ' **secret**' : ''}`,
    setting.says,
    setting.holds,
    [...readers(setting, opens), ...(onlyWith === undefined ? [] : [`read only with \`${onlyWith}\``])].join('; '),
  ]);
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |\n`).join('');
}

/** What is code stays as it is. */
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));

/** Readers that take the same are named together. */
function readers(setting: Setting, opens: boolean): string[] {
  const byMissing = Map.groupBy(Object.entries(setting.readBy), ([, missing]) =>
    wordingOf(setting, opens && missing === required ? optional : missing),
  );
  return [...byMissing].map(([missing, who]) => `${who.map(([process]) => process).join(', ')}: ${missing}`);
}

function wordingOf({ otherwise }: Setting, missing: unknown): string {
  if (missing === required) return 'required';
  return missing === optional ? (otherwise ?? 'nothing') : `\`${missing}\``;
}
