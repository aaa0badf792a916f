import { expect, test } from 'vitest';
import { makeLogger } from './logger.ts';

function capture(showPersonal: boolean) {
  const lines: string[] = [];
  const log = makeLogger({
    service: 'test',
    level: 'info',
    showPersonal,
    to: { write: (line) => void lines.push(line) },
  });
  return { log, lines };
}

test('what a person said is not in the log unless an operator asked for it', () => {
  const quiet = capture(false);
  quiet.log.info({ pii: { text: 'my card is 4111' }, turn: { pii: 'again' } }, 'text received');
  expect(quiet.lines.join()).not.toMatch(/4111|again/);
  const open = capture(true);
  open.log.info({ pii: { text: 'my card is 4111' } }, 'text received');
  expect(open.lines.join()).toContain('4111');
});

test('the row that PostgreSQL puts into an error stays out of the log', () => {
  const { log, lines } = capture(false);
  log.error(
    { err: Object.assign(new Error('null value'), { code: '23502', detail: 'Failing row contains (secret words)' }) },
    'failed',
  );
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    service: 'test',
    err: { code: '23502', message: 'null value' },
  });
  expect(lines.join()).not.toContain('secret words');
});
