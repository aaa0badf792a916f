/** `npm run doctor`: tries what a customer would do, looks at what nobody notices until it is late, and says what to do. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupPlace, checkBackups } from './doctor/backups.ts';
import { checkConversation, closeRoomClient } from './doctor/conversation.ts';
import { checkDatabase } from './doctor/database.ts';
import { type Finding, skipped } from './doctor/finding.ts';
import { checkCertificate, checkHealth } from './doctor/front-door.ts';
import { readStack } from './doctor/stack.ts';
import { Fault } from './toolchain/fault.ts';
import { dataFolder } from './toolchain/given-path.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const help = `Usage: npm run doctor -- [--stack <stack> | --url <address>] [--key <pk_…>] [--database-url <postgres://…>]

Without an address it looks at what "npm start" started here. Everything that is wrong is told with what to do about it;
the exit code is 1 when anything failed.

  --stack         asks Pulumi for the address and where backups are made
  --url           the address of an installation, such as https://acme.example.com
  --key           PARLEY_AGENT_KEY: an agent's key, for a conversation; without one it is left out
  --database-url  PARLEY_DATABASE_URL: the database; without one it is left out`;

interface Patient {
  url: string;
  key: string | undefined;
  databaseUrl: string | undefined;
  backups: BackupPlace | undefined;
  /** What to do for a key. */
  hint: string;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const marks = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ', skipped: 'left   ' } as const;

await runScript(async (args) => {
  const { values } = readArguments({
    args,
    options: {
      stack: { type: 'string' },
      url: { type: 'string' },
      key: { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) say(help);
  else await examine(await findPatient(values));
});

async function findPatient(flags: {
  stack?: string | undefined;
  url?: string | undefined;
  key?: string | undefined;
  'database-url'?: string | undefined;
}): Promise<Patient> {
  const key = flags.key ?? process.env.PARLEY_AGENT_KEY;
  const databaseUrl = flags['database-url'] ?? process.env.PARLEY_DATABASE_URL;
  if (flags.stack !== undefined) {
    const { url, credentials, backups } = await readStack(flags.stack);
    return { url, key, databaseUrl, backups, hint: `give --key; "${credentials}" prints one.` };
  }
  if (flags.url !== undefined) {
    return { url: addressOf(flags.url), key, databaseUrl, backups: undefined, hint: 'give --key.' };
  }
  return { ...(await localStart(key, databaseUrl)), backups: undefined, hint: 'no agent is live.' };
}

function addressOf(given: string): string {
  if (!/^https?:\/\/[^/]/.test(given) || !URL.canParse(given))
    throw new Fault(`--url is "${given}": give an address such as https://acme.example.com.`);
  return given.replace(/\/+$/, '');
}

/** What `npm start` wrote down of itself. */
async function localStart(key: string | undefined, databaseUrl: string | undefined) {
  const folder = dataFolder(process.env.PARLEY_DATA_DIR);
  const file = join(folder, 'connection.json');
  if (!existsSync(file)) throw new Fault(`Nothing was started here (${file} does not exist): give --stack or --url.`);
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as unknown;
  const told = (await read(file)) as { baseUrl: string; agents: Record<string, { apiKey: string }> };
  const variables = (await read(join(folder, 'environment.json'))) as { PARLEY_DATABASE_URL?: string };
  const [agent] = Object.values(told.agents);
  return {
    url: told.baseUrl,
    key: key ?? agent?.apiKey,
    databaseUrl: databaseUrl ?? variables.PARLEY_DATABASE_URL,
  };
}

async function examine({ url, key, databaseUrl, backups, hint }: Patient): Promise<void> {
  say(`Examining ${url} …`);
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => checkHealth(url),
    async () => [await checkCertificate(url)],
    () => (key ? checkConversation({ url, key }) : [skipped('text session', `For a conversation ${hint}`)]),
    () => (databaseUrl ? checkDatabase(databaseUrl) : [skipped('database', 'Give --database-url to look at it.')]),
    async () => [backups ? await checkBackups(backups) : skipped('backups', 'Nothing here tells where they are made.')],
  ];
  const findings: Finding[] = [];
  for (const check of checks) {
    const found = await check();
    for (const finding of found) tell(finding);
    findings.push(...found);
  }
  await closeRoomClient();
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  say(`${count('ok')} well, ${count('warning')} to look at, ${count('failed')} failed, ${count('skipped')} left out`);
  if (count('failed') > 0) process.exitCode = 1;
}

function tell({ check, state, says, todo }: Finding): void {
  say(`${marks[state]} ${check}: ${says}`);
  if (todo !== undefined) say(`        → ${todo}`);
}
