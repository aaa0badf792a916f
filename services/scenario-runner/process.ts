/**
 * Runs scenarios as a process of its own: a `ScenarioLine` as a line of JSON on standard input, a `ScenarioReport[]` as
 * JSON on standard output. For the worker, which must not load the framework (docs/decisions/0004).
 */
import '../agent/room/quiet-native-layer.ts';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { initializeLogger } from '@livekit/agents';
import type { ScenarioLine } from '../agent-files/scenarios/report.ts';
import { judgeFrom } from './judge-settings.ts';
import { runJobs } from './run-jobs.ts';

initializeLogger({ pretty: false, level: 'silent' });

const input = createInterface({ input: process.stdin });
const [line] = (await once(input, 'line')) as [string];
// The worker is gone and nobody waits for the answer any more; a model may be slow, and what it does is paid for.
input.on('close', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));

const { settings, jobs, variables: env } = JSON.parse(line) as ScenarioLine;
const reports = await runJobs({ env, runTool: undefined, judge: judgeFrom(env) }, settings, jobs);
process.stdout.write(JSON.stringify(reports), () => process.exit(0));
