/**
 * `npm test`: sets up what the tests need, then runs the checks and every test. The last line is `N passed, N failed`, where
 * each check counts as one; the exit code is 1 when anything failed. Arguments go to vitest (`npm test -- test/flows`), except
 * `--quick`, which runs the checks, the tests beside the code, and one conversation each in text and voice.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bestEffort } from '../services/process/best-effort.ts';
import { checks, failedChecks } from './toolchain/checks.ts';
import { runHere } from './toolchain/commands.ts';
import { Fault } from './toolchain/fault.ts';
import { makeInfraTools } from './toolchain/infra-tools.ts';
import { roomServerPath } from './toolchain/room-server.ts';
import { runScript } from './toolchain/script.ts';
import { sipBridgePath } from './toolchain/sip-bridge.ts';
import { setUpLocalSpeech } from './toolchain/speech.ts';
import { installSystemPackages } from './toolchain/system.ts';
import { countTests, type TestCounts } from './toolchain/test-counts.ts';

const root = join(import.meta.dirname, '..');
const say = (line: string) => process.stdout.write(`${line}\n`);

const help = `Usage: npm test [-- --quick | <part of a file's path> … and options of vitest]

Sets up what the tests need, then runs the checks and every test, or those that are named: npm test -- test/flows/rest.
--quick runs the checks, the tests beside the code, and one conversation each in text and voice.
The last line is "N passed, N failed"; exit status 1 when anything failed.`;

async function runVitest(args: readonly string[]): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-report-'));
  const report = join(folder, 'report.json');
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const succeeded = await runHere(process.execPath, [vitest, 'run', '--root', root, ...reporters, ...args]);
    const written = await bestEffort('a run that broke off wrote none', readFile(report, 'utf8'));
    return countTests(written, succeeded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Written and spoken: the stories with the tag `quick` are in these files. */
const quickStories = ['test/flows/conversation/conversation.test.ts', 'test/flows/voice/conversation.test.ts'];

/** The tests beside the code and two conversations; other stories of their files are not asked for, and so not skipped. */
async function runQuickTests(): Promise<TestCounts> {
  const unit = await runVitest(['--project=unit']);
  const stories = await runVitest(['--tags-filter=quick', ...quickStories]);
  return { passed: unit.passed + stories.passed, failed: unit.failed + stories.failed, skipped: unit.skipped };
}

/** @param everything also what takes minutes to build, the first time; whoever runs a part of the tests gets it in those that need it */
async function setUp({ everything }: { everything: boolean }): Promise<void> {
  await roomServerPath(say);
  const speech = await setUpLocalSpeech(say);
  if (speech.problems.length > 0) throw new Fault(speech.problems.join('\n'));
  if (!everything) return;
  await sipBridgePath(say);
  await makeInfraTools(say);
}

/** The checks keep one core busy while the other builds. Both go on to their end, so that no line comes after the last one. */
async function checkAndSetUp(everything: boolean): Promise<string[]> {
  const [checking, settingUp] = [failedChecks(), setUp({ everything })];
  await Promise.allSettled([checking, settingUp]);
  await settingUp;
  return checking;
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return void say(help);
  const quick = args.includes('--quick');
  if (quick && args.length > 1) throw new Fault('--quick stands alone: leave the other arguments out.');
  await installSystemPackages(say);
  const failed = await checkAndSetUp(args.length === 0);
  const tests = quick ? await runQuickTests() : await runVitest(args);
  const passed = checks.length - failed.length + tests.passed;
  const failures = failed.length + tests.failed;
  if (failed.length > 0) say(`Failed checks: ${failed.join('; ')}`);
  if (tests.skipped > 0) say(`${tests.skipped} skipped`);
  say(`${passed} passed, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

await runScript((args) =>
  main(args).catch((error) => {
    say('0 passed, 1 failed');
    throw error;
  }),
);
