export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Report {
  testResults: readonly {
    status: string;
    assertionResults: readonly { status: string }[];
  }[];
}

/**
 * Counts vitest's JSON report. What fails without a test failing counts as one failure: a file that can't be loaded, a
 * broken hook, an error outside of any test, a run that wrote no report.
 */
export function countTests(report: string | undefined, succeeded: boolean): TestCounts {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const files = (JSON.parse(report) as Report).testResults;
  const statuses = files.flatMap((file) => file.assertionResults.map((test) => test.status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failedTests = statuses.filter((status) => status === 'failed').length;
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = failedTests + brokenFiles;
  return {
    passed,
    failed: failed === 0 && !succeeded ? 1 : failed,
    skipped: statuses.length - passed - failedTests,
  };
}
