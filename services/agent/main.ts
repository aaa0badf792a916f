import './room/quiet-native-layer.ts';
import { initializeLogger } from '@livekit/agents';
import { dispose } from '@livekit/rtc-node';
import { variablesForAgents } from '../agent-files/definition/agent-variables.ts';
import { handoverSeconds } from '../contract/handover.ts';
import { signingSecrets } from '../core/credentials/credentials.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { tellRelease } from '../core/insight/tell-release.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { openTransfers } from '../core/telephony/transfer.ts';
import { openInternalServer, type Readiness } from '../process/internal-server.ts';
import { Lifecycle, startOrSayWhy } from '../process/lifecycle.ts';
import { type Logger, makeLogger } from '../process/logger.ts';
import type { Variables } from '../process/variables.ts';
import { takeVariables } from '../settings/take.ts';
import { openDatabase } from '../store/database.ts';
import { makeNotifier } from '../store/notify.ts';
import { onceItAnswers } from '../store/once-it-answers.ts';
import { closeVoicePlaces, openVoicePlace } from '../store/tables/hosts.ts';
import { type AgentConfig, readConfig } from './config.ts';
import type { OpenSpeech } from './conversation/executors/speech.ts';
import { makeToolsFor } from './conversation/run-tool.ts';
import { loadEndOfTurn } from './conversation/voice/end-of-turn.ts';
import { AgentHost } from './host/agent-host.ts';
import { LeaseKeeper } from './host/lease-keeper.ts';
import { watchMemory } from './host/memory-watch.ts';
import { tellMissingKeys } from './host/missing-keys.ts';
import { Refusals } from './host/refusals.ts';
import { makeTokenMeter } from './host/token-meter.ts';
import { VoicePlaces } from './host/voice-places.ts';
import { makeHostMetrics } from './host-metrics.ts';
import { watchModels } from './models/watch.ts';
import { openOwed } from './owed/open.ts';
import { canSpeak, findAbilities, KeptLines, openLocalEngines, openSpeech } from './speech/speech.ts';
import { makeTurnMetrics } from './turn-metrics.ts';

/** Short: a person waits for whatever a host asks of the database. */
const queryTimeoutMs = 3_000;

/** Most calls are over by then; a handover in the middle of one may lose a word that is spoken in this moment (docs/call/voice.md). */
const retiresWithinMs = 600_000;

/** A promise of one conversation must not end the others. */
const stopOptions = { unhandledRejection: 'log' } as const;

async function main(config: AgentConfig, variables: Variables): Promise<void> {
  const logger = makeLogger({ service: 'agent', level: config.logLevel });
  // Below this level the framework logs what people say, arguments of tools and what tools answered; its errors reach us as events.
  initializeLogger({ pretty: false, level: 'fatal' });
  const lifecycle = new Lifecycle(logger);
  lifecycle.closing('close the room client', 2_000, () => dispose());
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-agent', queryTimeoutMs });
  lifecycle.closing('close the database', 2_000, () => db.close());
  lifecycle.closing(
    'say no more what release runs',
    1_000,
    tellRelease({ db, log: logger }, { process: 'agent', release: config.release }),
  );
  const notifier = makeNotifier(db);
  const turns = makeTurnMetrics();
  let host: AgentHost | undefined;
  let refusals: Refusals | undefined;
  const internal = await openInternalServer(
    {
      registry: makeHostMetrics({ db, turns, figures: () => host?.figures() }),
      readiness: () => readinessOf(host, () => engines.natural.warm),
    },
    { port: config.internalPort, bind: config.bind },
  );
  lifecycle.closing('close the internal port', 1_000, () => internal.close());
  const forAgents = variablesForAgents(config.agentVariables, variables);
  const engines = openLocalEngines({ env: variables, logger });
  lifecycle.closing('stop the engines of speech', 2_000, () => engines.close());
  const tokens = makeTokenMeter(db);
  lifecycle.closing('write what was counted', 2_000, () => tokens.stop());
  const lines = new KeptLines();
  let abilities = await findAbilities(forAgents.ofProviders, engines);
  const listening = makeListening(logger);
  lifecycle.heed(stopOptions);
  const keeper = await onceItAnswers(logger, () =>
    LeaseKeeper.start({
      db,
      directUrl: config.databaseDirectUrl ?? config.databaseUrl,
      capacity: config.capacity,
      voiceCapacity: config.voiceCapacity,
      abilities,
      onNotification: (channel, payload) => {
        host?.heard(channel, payload);
        refusals?.heard(channel, payload);
      },
      onReady: () => host?.poll(),
      onDeclaredDead: () => host?.declaredDead(),
    }),
  );
  const warmUp = () => {
    if (config.voiceCapacity > 0) void engines.natural.warmUp();
  };
  const models = engines.natural.watch(async () => {
    abilities = await findAbilities(forAgents.ofProviders, engines);
    await keeper.changeAbilities(abilities);
    logger.info({ languages: engines.natural.languages().length }, 'models of speech have come');
    warmUp();
  });
  lifecycle.closing('stop looking for models of speech', 1_000, async () => models.stop());
  const rooms = openRooms(config.roomServer, keeper);
  const vault = makeVault(config.masterKeys);
  const owed = await openOwed(config.owedFolder, { db, notifier, vault, logger });
  lifecycle.closing('close the file of what is owed', 2_000, () => owed.close());
  await owed.makeUp();
  const toolsFor = makeToolsFor({
    env: forAgents.declared,
    allowLoopback: config.environment === 'development',
    logger,
    secretsOf: (owner) => signingSecrets({ db, vault }, owner),
  });
  const open: OpenSpeech = (definition, choice) => {
    listening.prepare();
    return openSpeech(definition, choice, { env: forAgents.ofProviders, logger, engines, abilities, lines });
  };
  host = new AgentHost(
    {
      db,
      rooms,
      notifier,
      logger,
      keeper,
      env: forAgents.ofProviders,
      models: watchModels(logger),
      toolsFor,
      transfers: openTransfers(config.roomServer),
      owed: owed.keeper,
      countTokens: tokens.count,
      openSpeech: open,
      canSpeak: (definition, language) => canSpeak(definition, language, abilities),
      onTurn: turns.observe,
    },
    config,
  );
  refusals = new Refusals({ db, rooms, logger, hostId: keeper.id, openSpeech: open });
  const started = host;
  const handoverMs = handoverSeconds(config.capacity) * 1_000;
  lifecycle.closing('hand conversations over', handoverMs, () => started.stop(handoverMs));
  const places = new VoicePlaces({
    load: () => engines.natural.load,
    places: {
      close: () => closeVoicePlaces(db, keeper.id),
      openOne: () => openVoicePlace(db, keeper.id, config.voiceCapacity),
    },
    most: config.voiceCapacity,
    logger,
  }).watch();
  lifecycle.closing('stop looking at the load of speech', 1_000, async () => places.stop());
  host.start();
  warmUp();
  logger.info({ host: keeper.id, capacity: config.capacity }, 'the agent host is up');
  tellMissingKeys(db, forAgents.ofProviders, logger).catch((error: unknown) => {
    logger.warn({ err: error }, 'whether keys are missing could not be looked at');
  });

  const memory = watchMemory({
    mostMb: config.retireAtMb,
    retire: (options) => host.retire(options),
    onRetired: () => void host.emptied(retiresWithinMs).then(() => lifecycle.stop('memory')),
    logger,
  });
  lifecycle.closing('stop looking at memory', 1_000, () => memory.stop());
  lifecycle.serve();
}

/** Ready is a host that has room for conversations, or is full; its engines of speech may still be loading. */
function readinessOf(host: AgentHost | undefined, loadedSpeech: () => readonly string[]): Readiness {
  if (!host) return { status: 'starting' };
  const facts = { host: host.id, ...host.figures(), loadedSpeech: loadedSpeech() };
  return { status: host.ready ? 'ok' : 'not_ready', facts };
}

/** Once, when the first conversation is to be spoken: a host where nobody speaks does without. */
function makeListening(logger: Logger): { prepare(): void } {
  let isPrepared = false;
  const prepare = () => {
    if (isPrepared) return;
    isPrepared = true;
    loadEndOfTurn().catch((error: unknown) => {
      logger.warn(
        { err: error },
        'the model that hears the end of a turn cannot be run here: silence alone ends turns',
      );
    });
  };
  return { prepare };
}

await startOrSayWhy(() => {
  const variables = takeVariables(process.env);
  return main(readConfig(variables), variables);
});
