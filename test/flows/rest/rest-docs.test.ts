import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkSignature } from '../../../services/api/http/signature.ts';
import { Problem, problems } from '../../../services/contract/problems.ts';

/** Also told by commands; account.md says it in the paragraph on roles. */
const saidInProse = new Set(['tenant_not_found']);

const page = (name: string) => readFile(new URL(`../../../docs/call/${name}`, import.meta.url), 'utf8');

test('docs/call/rest.md, or account.md where only people meet it, lists every refusal with its status', async () => {
  const texts = await Promise.all(['rest.md', 'account.md'].map(page));
  const rows = texts.flatMap((text) => text.split('\n')).filter((line) => /^\| \d{3} \|/.test(line));
  for (const make of Object.values(problems)) {
    const problem = (make as (...given: unknown[]) => Problem)('x', ['x'], ['x']);
    expect(problem).toBeInstanceOf(Problem);
    if (saidInProse.has(problem.code)) continue;
    const documented = rows.some(
      (row) => row.startsWith(`| ${problem.status} |`) && row.includes(`\`${problem.code}\``),
    );
    expect([problem.status, problem.code, documented]).toEqual([problem.status, problem.code, true]);
  }
});

const run = promisify(execFile);

const examples = [
  {
    language: 'js',
    program: [process.execPath, '--input-type=module', '--eval'],
    given: (secret: string) => `const [secret, key] = ['${secret}', 'pk_x'];`,
    tell: 'console.log(JSON.stringify({ body, ...headers }));',
  },
  {
    language: 'python',
    program: ['python3', '-c'],
    given: (secret: string) => `secret, key = '${secret}', 'pk_x'`,
    tell: 'print(json.dumps({"body": body.decode(), **headers}))',
  },
] as const;

test.for(examples)('docs/call/rest.md signs a request as the service checks it: $language', async (example) => {
  const { language, program, given, tell } = example;
  const text = await page('rest.md');
  const chapter = text.slice(text.indexOf('### Signed requests'));
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(chapter) ?? [];
  const secret = randomBytes(32);
  const source = [given(`sk_${secret.toString('base64url')}`), code, tell].join('\n');
  const [command, ...args] = program;
  const { stdout } = await run(command, [...args, source]);
  const { body, 'X-Signature': header } = JSON.parse(stdout) as { body: string; 'X-Signature': string };
  const request = { header, method: 'POST', target: '/api/sessions', body: Buffer.from(body) };
  expect(checkSignature(request, [secret], new Date())).toMatchObject({ ok: true });
});
