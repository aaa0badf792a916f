import { createRequire } from 'node:module';
import type { ServerUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import grpc from '@grpc/grpc-js';
import type { Struct as StructMessage } from 'google-protobuf/google/protobuf/struct_pb.js';
import { hasUnknown, type Properties, withoutSecrets } from './property-values.ts';

const require = createRequire(import.meta.url);
const messages = require('@pulumi/pulumi/proto/provider_pb.js') as typeof import('@pulumi/pulumi/proto/provider_pb.js');
const services = require('@pulumi/pulumi/proto/provider_grpc_pb.js') as {
  ResourceProviderService: grpc.ServiceDefinition;
};
const plugin = require('@pulumi/pulumi/proto/plugin_pb.js') as typeof import('@pulumi/pulumi/proto/plugin_pb.js');
const { Struct } = require('google-protobuf/google/protobuf/struct_pb.js') as { Struct: typeof StructMessage };
const { Empty } = require('google-protobuf/google/protobuf/empty_pb.js') as {
  Empty: typeof import('google-protobuf/google/protobuf/empty_pb.js').Empty;
};

export interface ResourceName {
  /** Such as `aws:ec2/vpc:Vpc`. */
  type: string;
  name: string;
}

export interface Check {
  inputs: Properties;
  /** In sentences; the engine stops at any. */
  faults: readonly string[];
}

export interface Difference {
  changed: readonly string[];
  /** Those of the changed properties that can't change in place. */
  replaces: readonly string[];
  deleteBeforeReplace: boolean;
}

/**
 * What a stand-in for a vendor's provider does. Values are plain: secrets are unwrapped, and what a preview does not know yet
 * is the string that `isUnknown` tells.
 */
export interface StandIn {
  version: string;
  configure(config: Properties): Promise<void>;
  /** What another configuration does to everything that was made with this one; without it nothing. */
  diffConfig?(before: Properties, after: Properties): Difference;
  check(resource: ResourceName, inputs: Properties, before: Properties): Promise<Check>;
  diff(resource: ResourceName, before: Properties, inputs: Properties): Promise<Difference>;
  create(resource: ResourceName, inputs: Properties): Promise<{ id: string; properties: Properties }>;
  /** @param ignored paths that the program does not change any more */
  update(
    resource: ResourceName,
    id: string,
    inputs: Properties,
    before: Properties,
    ignored: readonly string[],
  ): Promise<Properties>;
  /** Undefined when the resource is gone. */
  read(resource: ResourceName, id: string, before: Properties): Promise<Properties | undefined>;
  delete(resource: ResourceName, id: string, before: Properties): Promise<void>;
  invoke(token: string, args: Properties): Promise<Properties>;
}

/** Serves a stand-in to the engine that started this process, and tells it the port, as every provider does. */
export function serveProvider(standIn: StandIn): void {
  const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
  server.addService(services.ResourceProviderService, implementation(standIn));
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
  });
}

const plain = (struct: StructMessage | undefined): Properties => withoutSecrets(struct?.toJavaScript() ?? {});
const message = (properties: Properties) => Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)));

function nameOf(urn: string): ResourceName {
  const [, , types = '', name = ''] = urn.split('::');
  return { type: types.split('$').at(-1) ?? '', name };
}

function implementation(standIn: StandIn): UntypedServiceImplementation {
  return {
    ...notImplemented(),
    getPluginInfo: handler(async () => {
      const answer = new plugin.PluginInfo();
      answer.setVersion(standIn.version);
      return answer;
    }),
    checkConfig: handler(async (request: InstanceType<typeof messages.CheckRequest>) => {
      const answer = new messages.CheckResponse();
      answer.setInputs(request.getNews());
      return answer;
    }),
    diffConfig: handler(async (request: InstanceType<typeof messages.DiffRequest>) => {
      if (!standIn.diffConfig) return new messages.DiffResponse();
      const before = plain(request.getOldInputs() ?? request.getOlds());
      return differenceAs(standIn.diffConfig(before, plain(request.getNews())));
    }),
    configure: handler(async (request: InstanceType<typeof messages.ConfigureRequest>) => {
      await standIn.configure(plain(request.getArgs()));
      const answer = new messages.ConfigureResponse();
      answer.setAcceptsecrets(false);
      answer.setSupportspreview(true);
      return answer;
    }),
    check: handler(async (request: InstanceType<typeof messages.CheckRequest>) => {
      const inputs = plain(request.getNews());
      const checked = await standIn.check(nameOf(request.getUrn()), inputs, plain(request.getOlds()));
      const answer = new messages.CheckResponse();
      answer.setInputs(message(checked.inputs));
      for (const fault of checked.faults) {
        const failure = new messages.CheckFailure();
        failure.setReason(fault);
        answer.addFailures(failure);
      }
      return answer;
    }),
    diff: handler(async (request: InstanceType<typeof messages.DiffRequest>) => {
      const before = plain(request.getOldInputs() ?? request.getOlds());
      const found = await standIn.diff(nameOf(request.getUrn()), before, plain(request.getNews()));
      return differenceAs(found);
    }),
    create: handler(async (request: InstanceType<typeof messages.CreateRequest>) => {
      const inputs = plain(request.getProperties());
      const answer = new messages.CreateResponse();
      if (request.getPreview()) {
        answer.setProperties(message(inputs));
        return answer;
      }
      refuseUnknown(inputs);
      const { id, properties } = await standIn.create(nameOf(request.getUrn()), inputs);
      answer.setId(id);
      answer.setProperties(message(properties));
      return answer;
    }),
    update: handler(async (request: InstanceType<typeof messages.UpdateRequest>) => {
      const inputs = plain(request.getNews());
      const answer = new messages.UpdateResponse();
      const before = plain(request.getOlds());
      const ignored = request.getIgnorechangesList();
      const update = () => standIn.update(nameOf(request.getUrn()), request.getId(), inputs, before, ignored);
      answer.setProperties(message(request.getPreview() ? { ...before, ...inputs } : await update()));
      return answer;
    }),
    read: handler(async (request: InstanceType<typeof messages.ReadRequest>) => {
      const before = plain(request.getProperties());
      const found = await standIn.read(nameOf(request.getUrn()), request.getId(), before);
      const answer = new messages.ReadResponse();
      if (!found) return answer;
      answer.setId(request.getId());
      answer.setProperties(message(found));
      answer.setInputs(request.getInputs());
      return answer;
    }),
    delete: handler(async (request: InstanceType<typeof messages.DeleteRequest>) => {
      await standIn.delete(nameOf(request.getUrn()), request.getId(), plain(request.getProperties()));
      return new Empty();
    }),
    invoke: handler(async (request: InstanceType<typeof messages.InvokeRequest>) => {
      const answer = new messages.InvokeResponse();
      answer.setReturn(message(await standIn.invoke(request.getTok(), plain(request.getArgs()))));
      return answer;
    }),
    cancel: handler(async () => new Empty()),
  };
}

function differenceAs({ changed, replaces, deleteBeforeReplace }: Difference) {
  const kinds = messages.DiffResponse.DiffChanges;
  const answer = new messages.DiffResponse();
  answer.setChanges(changed.length > 0 ? kinds.DIFF_SOME : kinds.DIFF_NONE);
  answer.setDiffsList([...changed]);
  answer.setReplacesList([...replaces]);
  answer.setDeletebeforereplace(deleteBeforeReplace);
  return answer;
}

function refuseUnknown(inputs: Properties): void {
  if (hasUnknown(inputs)) throw new Error('the engine asks for a resource whose properties are not known yet');
}

function notImplemented(): UntypedServiceImplementation {
  const names = Object.keys(services.ResourceProviderService);
  return Object.fromEntries(
    names.map((name) => [
      name,
      (_call: unknown, done: grpc.sendUnaryData<unknown>) =>
        done({ code: grpc.status.UNIMPLEMENTED, details: `the stand-in has no ${name}` }),
    ]),
  );
}

function handler<Request>(handle: (request: Request) => Promise<unknown>) {
  return (call: ServerUnaryCall<Request, unknown>, done: grpc.sendUnaryData<unknown>) => {
    handle(call.request).then(
      (answer) => done(null, answer),
      (error: Error) => done({ code: grpc.status.UNKNOWN, details: error.message }),
    );
  };
}
