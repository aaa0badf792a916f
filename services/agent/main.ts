import './room/quiet-native-layer.ts';
import { once } from 'node:events';
import { initializeLogger } from '@livekit/agents';
import { dispose } from '@livekit/rtc-node';
import { signingSecrets } from '../core/credentials/credentials.ts';
import { makeVault } from '../core/credentials/vault.ts';
import { openRooms } from '../core/rooms/rooms.ts';
import { ConfigurationError } from '../process/environment.ts';
import { type Logger, makeLogger } from '../process/logger.ts';
import { onStopSignal, type StopStep } from '../process/stop-signal.ts';
import { openDatabase } from '../store/database.ts';
import { makeNotifier } from '../store/notify.ts';
import { type AgentConfig, readConfig } from './config.ts';
import { makeToolsFor } from './conversation/run-tool.ts';
import { loadEndOfTurn } from './conversation/voice/end-of-turn.ts';
import type { OpenSpeech } from './conversation/voice/spoken-side.ts';
import { AgentHost } from './host/agent-host.ts';
import { LeaseKeeper } from './host/lease-keeper.ts';
import { watchMemory } from './host/memory-watch.ts';
import { tellMissingKeys } from './host/missing-keys.ts';
import { makeTokenMeter } from './host/token-meter.ts';
import { makeInternalServer } from './internal-server.ts';
import { canSpeak, findAbilities, openLocalEngines, openSpeech } from './speech/speech.ts';
import { makeTurnMetrics } from './turn-metrics.ts';

/** Short: a person waits for whatever a host asks of the database. */
const queryTimeoutMs = 3_000;

/** Most calls are over by then; a handover in the middle of one may lose a word that is spoken in this moment (docs/call/voice.md). */
const retiresWithinMs = 600_000;

async function main(config: AgentConfig): Promise<void> {
  const logger = makeLogger({ service: 'agent', level: config.logLevel });
  // Below this level the framework logs what people say, arguments of tools and what tools answered; its errors reach us as events.
  initializeLogger({ pretty: false, level: 'fatal' });
  const db = openDatabase(config.databaseUrl, { applicationName: 'parley-agent', queryTimeoutMs });
  const rooms = openRooms(config.roomServer);
  const notifier = makeNotifier(db);
  const tokens = makeTokenMeter(db);
  const turns = makeTurnMetrics();
  const engines = openLocalEngines({ env: process.env, logger });
  const abilities = await findAbilities(process.env, engines);
  const listening = makeListening(logger);
  let host: AgentHost | undefined;
  const keeper = await LeaseKeeper.start({
    db,
    databaseUrl: config.databaseUrl,
    capacity: config.capacity,
    voiceCapacity: config.voiceCapacity,
    abilities,
    onNotification: (channel, payload) => host?.heard(channel, payload),
    onReady: () => host?.poll(),
    onDeclaredDead: () => host?.declaredDead(),
  });
  const vault = makeVault(config.masterKeys);
  const toolsFor = makeToolsFor({
    env: process.env,
    allowLoopback: config.environment === 'development',
    logger,
    secretsOf: (owner) => signingSecrets({ db, vault }, owner),
  });
  const open: OpenSpeech = (definition, choice) => {
    listening.prepare();
    return openSpeech(definition, choice, { env: process.env, logger, engines, abilities });
  };
  host = new AgentHost(
    {
      db,
      rooms,
      notifier,
      logger,
      keeper,
      env: process.env,
      toolsFor,
      countTokens: tokens.count,
      openSpeech: open,
      canSpeak: (definition, language) => canSpeak(definition, language, abilities),
      onTurn: turns.observe,
    },
    config,
  );
  const server = makeInternalServer(host, db, turns).listen(config.internalPort, config.bind);
  await once(server, 'listening');
  host.start();
  logger.info({ host: keeper.id, capacity: config.capacity }, 'the agent host is up');
  tellMissingKeys(db, process.env, logger).catch((error: unknown) => {
    logger.warn({ err: error }, 'whether keys are missing could not be looked at');
  });

  const memory = watchMemory({
    mostMb: config.retireAtMb,
    retire: (options) => host.retire(options),
    onRetired: () => void host.emptied(retiresWithinMs).then(() => stop('memory')),
    logger,
  });
  const steps: StopStep[] = [
    ['stop looking at memory', 1_000, () => memory.stop()],
    ['hand conversations over', 25_000, () => host.stop()],
    ['write what was counted', 2_000, () => tokens.stop()],
    ['stop the engines of speech', 2_000, () => engines.close()],
    ['close the internal port', 1_000, async () => void server.close()],
    ['close the database', 2_000, () => db.close()],
    ['close the room client', 2_000, () => dispose()],
  ];
  const stop = onStopSignal(logger, steps, { unhandledRejection: 'log' });
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

try {
  await main(readConfig(process.env));
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigurationError ? error.message : `The agent host cannot start: ${error}`}\n`,
  );
  process.exit(1);
}
