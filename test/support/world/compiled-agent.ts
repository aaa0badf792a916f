import type { AgentSettings, CompiledAgent } from '../../../services/agent-files/definition/compiled.ts';
import { publishAgents } from '../../../services/core/agents/publish.ts';
import { type Credentials, revealCredentials } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { sha256 } from '../../../services/core/sessions/ids.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { makeNotifier } from '../../../services/store/notify.ts';

export interface AgentChoices {
  agent?: string;
  definition?: Partial<CompiledAgent>;
  settings?: Partial<AgentSettings>;
}

const minuteMs = 60_000;

/** An agent as the compiler would give it, for tests that need no files: two languages, one voice, budgets that stay out of the way. */
export function compiledAgent({ agent = 'desk', definition = {}, settings = {} }: AgentChoices = {}): CompiledAgent {
  const lines = { modelUnavailable: 'One moment.', tooManyMessages: 'Slowly, please.', limitReached: 'That was all.' };
  return {
    schemaVersion: 1,
    agent,
    name: 'Front desk',
    voiceAgentKind: 'pipeline',
    interactionMode: 'TEXT',
    prompt: 'You are the front desk. The secret word is heliotrope.',
    knowledge: 'Open from 9 to 5.',
    timezone: 'Europe/Berlin',
    languages: [
      {
        code: 'en',
        name: 'English',
        greeting: 'Hello.',
        voices: [{ id: 'amy', name: 'Amy', gender: 'female', default: true }],
        lines,
      },
      { code: 'de-DE', name: 'Deutsch', voices: [], lines },
    ],
    defaultLanguage: 'en',
    model: { provider: 'scripted', maxOutputTokens: 500, timeoutMs: 10_000 },
    modelFallbacks: [],
    tools: [],
    limits: {
      joinTimeoutMs: 10 * minuteMs,
      reconnectGraceMs: 30_000,
      idleTimeoutMs: 10 * minuteMs,
      maxDurationMs: 60 * minuteMs,
      turns: 200,
      tokens: 100_000,
      textLength: 8_000,
      textsWaiting: 10,
      textsPerMinute: 30,
      toolCallsPerTurn: 5,
      equalToolCalls: 5,
    },
    context: { maxTokens: 8_000, rule: 'drop-oldest' },
    retentionMs: 24 * 60 * minuteMs,
    settings: {
      sessions: { systemPrompt: 'server', requireSignature: false, camera: false, microphone: false },
      caps: {
        concurrentSessions: 1_000_000,
        tokensPerDay: 1_000_000,
        unjoinedSessions: 1_000_000,
        requestsPerMinute: 1_000_000,
      },
      ...settings,
    },
    ...definition,
  };
}

/** Makes agents live in a database, as the worker does, and gives their credentials by agent. */
export async function publish(
  { serviceUrl, masterKeys, tenant }: { serviceUrl: string; masterKeys: string; tenant: string },
  agents: readonly CompiledAgent[],
): Promise<Record<string, Credentials>> {
  const db = openDatabase(serviceUrl);
  const vault = makeVault(masterKeys);
  try {
    const versions = agents.map((agent) => ({ hash: sha256(JSON.stringify(agent)).toString('hex'), agent }));
    await publishAgents({ db, vault, notifier: makeNotifier(db) }, { tenant, versions, commit: null });
    const entries = agents.map(
      async ({ agent }) => [agent, await revealCredentials({ db, vault }, { tenant, agent })] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await db.close();
  }
}
