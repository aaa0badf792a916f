/**
 * Runs scenarios as a process of its own: a `ScenarioRequest` as JSON on standard input, a `ScenarioReport[]` as JSON on
 * standard output. For the worker, which must not load the framework (docs/decisions/0004).
 */
import '../room/quiet-native-layer.ts';
import { text } from 'node:stream/consumers';
import { initializeLogger } from '@livekit/agents';
import type { ScenarioRequest } from '../../contract/scenarios/report.ts';
import { judgeFrom } from './judge-settings.ts';
import { runJobs } from './run-jobs.ts';

initializeLogger({ pretty: false, level: 'silent' });
// Nobody waits for the answer any more: the worker is gone.
process.stdout.on('error', () => process.exit(1));

const { settings, jobs } = JSON.parse(await text(process.stdin)) as ScenarioRequest;
const { env } = process;
const reports = await runJobs({ env, runTool: undefined, judge: judgeFrom(env) }, settings, jobs);
process.stdout.write(JSON.stringify(reports), () => process.exit(0));
