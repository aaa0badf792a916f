import { bestEffort } from '../../../../services/process/best-effort.ts';
import { say } from '../../../toolchain/say.ts';
import { type BackupLocation, checkBackups } from './backups.ts';
import type { Caller } from './caller.ts';
import { checkChallenge } from './challenge.ts';
import { checkConversation, closeRoomClient } from './conversation.ts';
import { checkDatabase } from './database.ts';
import { type Finding, skipped } from './finding.ts';
import { checkCertificate, checkHealth } from './front-door.ts';
import { checkImage } from './image.ts';
import { checkTelephone } from './telephone.ts';

export interface Patient {
  url: string;
  key: string | undefined;
  databaseUrl: string | undefined;
  backups: BackupLocation | undefined;
  /** Of the tenant's stack. */
  namespace: string | undefined;
  /** Of its SIP bridges. */
  phone: string | undefined;
  /** What to do for a key. */
  hint: string;
}

const marks = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ', skipped: 'left   ' } as const;

/** Makes every check and tells what it found; exit status 1 when one failed. */
export async function examine({ url, key, databaseUrl, backups, namespace, phone, hint }: Patient): Promise<void> {
  say(`Examining ${url} …`);
  const checks: (() => Promise<Finding[]> | Finding[])[] = [
    () => checkHealth(url),
    async () => [await checkCertificate(url)],
    () => (key ? checkAgent({ url, key }) : [skipped('text session', `For a conversation ${hint}`)]),
    () => (databaseUrl ? checkDatabase(databaseUrl) : [skipped('database', 'Give --database-url to look at it.')]),
    async () => [backups ? await checkBackups(backups) : skipped('backups', 'Nothing here tells where they are made.')],
    async () => (namespace === undefined ? [] : [await checkImage(namespace)]),
    async () => (phone === undefined ? [] : [await checkTelephone(phone)]),
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

/** Where people are asked for a challenge, no conversation can be begun by a program. */
async function checkAgent(caller: Caller): Promise<Finding[]> {
  const challenge = await bestEffort('a conversation that cannot be begun says why', checkChallenge(caller));
  if (!challenge) return checkConversation(caller);
  const how = 'Its agent asks for a challenge that a person solves: for a conversation give a key of another one.';
  return [challenge, skipped('text session', how)];
}

function tell({ check, state, says, todo }: Finding): void {
  say(`${marks[state]} ${check}: ${says}`);
  if (todo !== undefined) say(`        → ${todo}`);
}
