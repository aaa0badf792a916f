/** The framework's own worker, run as `node stock-worker.ts start`: its command line, its job processes, its dispatch. */
import { cli, ServerOptions } from '@livekit/agents';
import { stockAgentName } from './stock-agent-name.ts';

process.on('disconnect', () => process.exit());

cli.runApp(
  new ServerOptions({
    agent: new URL(process.env.BENCH_AGENT ?? './stock-agent.ts', import.meta.url).pathname,
    agentName: stockAgentName,
    host: '127.0.0.1',
    port: Number(process.env.BENCH_PORT),
    numIdleProcesses: Number(process.env.BENCH_IDLE_PROCESSES),
    // The machine is full of other processes of the benchmark; by its load the worker would refuse jobs.
    loadFunc: async () => 0,
  }),
);
