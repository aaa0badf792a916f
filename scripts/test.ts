/**
 * `npm test`: sets up what the tests need, then runs every test, and the checks beside. The last line is `N passed, N failed`, where
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

Sets up what the tests need, then runs every test, or those that are named, and the checks beside: npm test -- test/flows/rest.
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

/** The checks run beside the setup and the first tests, which wait more than they work. They go on to their end, so that no line comes after the last one. */
async function checkAndTest({
  everything,
  tests,
}: {
  everything: boolean;
  tests: () => Promise<TestCounts>;
}): Promise<{ failed: string[]; counts: TestCounts }> {
  const checking = failedChecks();
  const [, testing] = await Promise.allSettled([checking, setUp({ everything }).then(tests)]);
  if (testing.status === 'rejected') throw testing.reason;
  return { failed: await checking, counts: testing.value };
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return void say(help);
  const quick = args.includes('--quick');
  if (quick && args.length > 1) throw new Fault('--quick stands alone: leave the other arguments out.');
  await installSystemPackages(say);
  const tests = () => (quick ? runQuickTests() : runVitest(args));
  const { failed, counts } = await checkAndTest({ everything: args.length === 0, tests });
  const passed = checks.length - failed.length + counts.passed;
  const failures = failed.length + counts.failed;
  if (failed.length > 0) say(`Failed checks: ${failed.join('; ')}`);
  if (counts.skipped > 0) say(`${counts.skipped} skipped`);
  say(`${passed} passed, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

await runScript((args) =>
  main(args).catch((error) => {
    say('0 passed, 1 failed');
    throw error;
  }),
);
