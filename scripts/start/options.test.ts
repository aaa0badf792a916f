import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { internalPorts, requireFreePorts } from './check-ports.ts';
import { readOptions, type StartOptions } from './options.ts';

const read = (args: string[], env: NodeJS.ProcessEnv = {}) => readOptions(args, env) as StartOptions;

test('without flags and variables everything has its usual place', () => {
  const options = read([]);
  expect(options.ports).toMatchObject({ port: 7800, postgresPort: 7832, roomPort: 7880, roomUdpPort: 7882 });
  expect(options.dataFolder).toBe(resolve(import.meta.dirname, '../../.parley'));
  expect(internalPorts(options)).toEqual({ api: 7801, worker: 7803, agents: [7802, 7804] });
});

test('a flag beats a variable, a variable beats the default', () => {
  expect(read(['--port', '9000'], { PARLEY_PORT: '9001' }).ports.port).toBe(9000);
  expect(read([], { PARLEY_PORT: '9001' }).ports.port).toBe(9001);
});

test('a path is meant from where the person stands', () => {
  expect(read(['--data', 'here'], { INIT_CWD: '/somewhere' }).dataFolder).toBe('/somewhere/here');
  expect(read(['--data', '/there'], { INIT_CWD: '/somewhere' }).dataFolder).toBe('/there');
});

test('with a repository of agents no folder is read, and both are one too many', () => {
  const repository = { PARLEY_AGENTS_GIT_URL: '/srv/agents.git' };
  expect(read([], repository)).toMatchObject({ agentsFolder: undefined, agentsFrom: '/srv/agents.git' });
  expect(read([], { PARLEY_AGENTS_GIT_URL: '' }).agentsFolder).toBe(resolve(import.meta.dirname, '../../agents'));
  expect(() => read(['--agents', 'agents'], repository)).toThrow(
    /--agents \(PARLEY_AGENTS_DIR\) and PARLEY_AGENTS_GIT_URL/,
  );
});

test.for([
  [['--port', 'x'], /--port \(PARLEY_PORT\) is "x"/],
  [['--agent-hosts', '99'], /from 1 to 8/],
  [['--prot', '1'], /--help/],
  [['--port', '-1'], /^Option '--port' argument is ambiguous\. .*--help.*\.$/],
] as const)('%o is refused with a sentence', ([args, sentence]) => {
  expect(() => read([...args])).toThrow(sentence);
});

test('a port that is wanted twice is named', async () => {
  await expect(requireFreePorts(read(['--port', '7801']))).rejects.toThrow(/Port 7801 is wanted .* --internal-port/);
});

test('a telephone is there when it is asked for', () => {
  expect(read([]).sipPort).toBeUndefined();
  expect(read(['--phone']).sipPort).toBe(7860);
  expect(read(['--phone', '--sip-port', '5060']).sipPort).toBe(5060);
});
