import { expect, test } from 'vitest';
import { countTests } from './test-counts.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((testStatus) => ({ status: testStatus })),
});
const report = (...files: ReturnType<typeof file>[]) => JSON.stringify({ testResults: files });

test('tests are counted over all files', () => {
  const text = report(file('passed', 'passed', 'pending'), file('failed', 'passed', 'failed'));
  expect(countTests(text, false)).toEqual({ passed: 2, failed: 1, skipped: 1 });
});

test('a file that cannot be loaded is a failure', () => {
  expect(countTests(report(file('failed'), file('passed', 'passed')), false)).toMatchObject({ passed: 1, failed: 1 });
});

test('an error outside of any test is a failure', () => {
  expect(countTests(report(file('passed', 'passed')), false)).toMatchObject({ passed: 1, failed: 1 });
});

test('a run that wrote no report is a failure', () => {
  expect(countTests(undefined, true)).toMatchObject({ failed: 1 });
});
