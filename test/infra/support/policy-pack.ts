import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import grpc from '@grpc/grpc-js';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { within } from '../../../services/process/within.ts';
import type { Created } from './pulumi-mocks.ts';

const require = createRequire(import.meta.url);
const messages = require('@pulumi/pulumi/proto/analyzer_pb.js') as typeof import('@pulumi/pulumi/proto/analyzer_pb.js');
const { AnalyzerClient } = require('@pulumi/pulumi/proto/analyzer_grpc_pb.js') as {
  AnalyzerClient: new (address: string, credentials: grpc.ChannelCredentials) => Analyzer;
};

type Answer = import('@pulumi/pulumi/proto/analyzer_pb.js').AnalyzeResponse;
type Ask<Request> = (request: Request, done: (error: Error | null, answer: Answer) => void) => void;
interface Analyzer {
  analyze: Ask<import('@pulumi/pulumi/proto/analyzer_pb.js').AnalyzeRequest>;
  analyzeStack: Ask<import('@pulumi/pulumi/proto/analyzer_pb.js').AnalyzeStackRequest>;
  close(): void;
}

export interface Violation {
  rule: string;
  sentence: string;
  /** What is only advised does not end an `up`. */
  isMandatory: boolean;
}

/** The policy pack in a process of its own, asked as the engine asks it. */
export interface RunningPack extends AsyncDisposable {
  about(stack: string, resource: Created): Promise<Violation[]>;
  aboutAll(stack: string, resources: readonly Created[]): Promise<Violation[]>;
}

const folder = join(import.meta.dirname, '../../../infra/policy-pack');
/** What the engine's plugin for Node starts, too: it loads packs in a way of its own. */
const loader = require.resolve('@pulumi/pulumi/cmd/run-policy-pack');
const startMs = 90_000;
const answerMs = 90_000;

export async function startPolicyPack(): Promise<RunningPack> {
  // It wants an engine's address and asks nothing there.
  const child = spawn(process.execPath, [loader, '127.0.0.1:1', '.'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The policy pack ended with ${code}.`)));
  // Once it serves, its end is what disposing waits for.
  died.catch(() => undefined);
  // Its first line is its port.
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [port] = await within(startMs, 'the policy pack', Promise.race([line, died])).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  const client = new AnalyzerClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const ask = <Request>(way: Ask<Request>, request: Request) =>
    within(
      answerMs,
      'the answer of the policy pack',
      new Promise<Violation[]>((resolve, reject) => {
        way.call(client, request, (error, answer) => (error ? reject(error) : resolve(violationsOf(answer))));
      }),
    );
  return {
    about: (stack, resource) => ask(client.analyze, filled(new messages.AnalyzeRequest(), stack, resource)),
    aboutAll(stack, resources) {
      const all = resources.map((resource) => filled(new messages.AnalyzerResource(), stack, resource));
      return ask(client.analyzeStack, new messages.AnalyzeStackRequest().setResourcesList(all));
    },
    async [Symbol.asyncDispose]() {
      client.close();
      const gone = once(child, 'exit');
      child.kill();
      await within(startMs, 'the end of the policy pack', gone);
    },
  };
}

function filled<
  Message extends
    | import('@pulumi/pulumi/proto/analyzer_pb.js').AnalyzeRequest
    | import('@pulumi/pulumi/proto/analyzer_pb.js').AnalyzerResource,
>(message: Message, stack: string, { type, name, inputs, isProtected }: Created): Message {
  message.setType(type);
  message.setName(name);
  message.setUrn(`urn:pulumi:${stack}::parley::${type}::${name}`);
  message.setProperties(Struct.fromJavaScript(JSON.parse(JSON.stringify(inputs))));
  message.setOptions(new messages.AnalyzerResourceOptions().setProtect(isProtected));
  return message;
}

const violationsOf = (answer: Answer): Violation[] =>
  answer.getDiagnosticsList().map((one) => ({
    rule: one.getPolicyname(),
    // The framework puts the policy's description before it, in a line of its own.
    sentence: one.getMessage().split('\n').slice(1).join('\n') || one.getMessage(),
    isMandatory: one.getEnforcementlevel() === messages.EnforcementLevel.MANDATORY,
  }));
