/**
 * Stands in for pulumi-language-nodejs, which no package registry carries: enough of the protocol for `pulumi preview`, `up`,
 * `refresh` and `destroy` in a shell. It starts the entry point that @pulumi/pulumi itself ships, as the real one does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { ServerUnaryCall, ServiceDefinition, sendUnaryData } from '@grpc/grpc-js';
import grpc from '@grpc/grpc-js';

const require = createRequire(import.meta.url);
const messages = require('@pulumi/pulumi/proto/language_pb.js') as typeof import('@pulumi/pulumi/proto/language_pb.js');
const { LanguageRuntimeService } = require('@pulumi/pulumi/proto/language_grpc_pb.js') as {
  LanguageRuntimeService: ServiceDefinition;
};
const plugin = require('@pulumi/pulumi/proto/plugin_pb.js') as typeof import('@pulumi/pulumi/proto/plugin_pb.js');

type RunRequest = InstanceType<typeof messages.RunRequest>;

/** With which @pulumi/pulumi says that it has told the fault already. */
const toldAlready = 32;

let engine = process.argv.slice(2).findLast((argument) => !argument.startsWith('-')) ?? '';

function commandLine(request: RunRequest): string[] {
  const program = request.getInfo();
  if (!program) throw new Error('the engine names no program');
  const directory = program.getProgramDirectory();
  const runner = require.resolve('@pulumi/pulumi/cmd/run', { paths: [directory, program.getRootDirectory()] });
  const options: Record<string, string> = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    'root-directory': program.getRootDirectory(),
    stack: request.getStack(),
    pwd: request.getPwd(),
    parallel: String(request.getParallel()),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const dryRun = request.getDryrun() ? ['--dry-run'] : [];
  return [runner, ...flags, ...dryRun, resolve(directory, program.getEntryPoint()), ...request.getArgsList()];
}

async function runProgram(request: RunRequest) {
  const program = spawn(process.execPath, commandLine(request), {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toArray())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
      PULUMI_NODEJS_TYPESCRIPT: 'false',
    },
  });
  const [code] = (await once(program, 'exit')) as [number | null];
  const answer = new messages.RunResponse();
  if (code === toldAlready) answer.setBail(true);
  else if (code !== 0) answer.setError(`the program ended with code ${code}`);
  return answer;
}

function handler<Request>(handle: (request: Request) => Promise<unknown>) {
  return (call: ServerUnaryCall<Request, unknown>, done: sendUnaryData<unknown>) => {
    handle(call.request).then(
      (answer) => done(null, answer),
      (error: Error) => done({ code: grpc.status.UNKNOWN, details: error.message }),
    );
  };
}

const notImplemented = Object.fromEntries(
  Object.keys(LanguageRuntimeService).map((name) => [
    name,
    (_call: unknown, done: sendUnaryData<unknown>) =>
      done({ code: grpc.status.UNIMPLEMENTED, details: `the stand-in has no ${name}` }),
  ]),
);

const server = new grpc.Server();
server.addService(LanguageRuntimeService, {
  ...notImplemented,
  handshake: handler(async (request: InstanceType<typeof messages.LanguageHandshakeRequest>) => {
    engine = request.getEngineAddress() || engine;
    return new messages.LanguageHandshakeResponse();
  }),
  getPluginInfo: handler(async () => {
    const answer = new plugin.PluginInfo();
    answer.setVersion('0.0.0');
    return answer;
  }),
  getRequiredPackages: handler(async () => new messages.GetRequiredPackagesResponse()),
  getRequiredPlugins: handler(async () => new messages.GetRequiredPluginsResponse()),
  about: handler(async () => {
    const answer = new messages.AboutResponse();
    answer.setExecutable(process.execPath);
    answer.setVersion(process.version);
    return answer;
  }),
  run: handler(runProgram),
});
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
