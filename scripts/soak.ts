/**
 * `npm run soak`: runs each proof of the core many times in a row over one world, or shared out among several at once, and keeps the counts in test/bench/results/soak.json.
 * `-- --times 50 --only <part of a proof's name> --worlds 1`. Stops at the first failure and shows what the processes wrote.
 * `-- handover` measures one planned hand-over of 20 and of 200 conversations (scripts/soak/handover.ts), `-- unkind` holds conversations with
 * providers that behave as real ones do (scripts/soak/unkind.ts), `-- nemesis` while the network, PostgreSQL and clocks fail
 * (scripts/soak/nemesis.ts), `-- infra` tells the long stories of stacks (scripts/soak/infra.ts),
 * `-- widget` puts the widget on pages of every kind (scripts/soak/widget.ts), `-- rollout` replaces everything beneath 50 conversations
 * (scripts/soak/rollout.ts), `-- outbound` has agents call while what makes the calls is
 * killed (scripts/soak/outbound.ts), `-- booking` books a table by voice in a fresh clone, with and without the internet (scripts/soak/booking.ts),
 * `-- phone` has baresip call (scripts/soak/phone.ts), `-- pooler` puts PgBouncer before PostgreSQL (scripts/soak/pooler.ts).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { within } from '../services/process/within.ts';
import { machine, versions } from '../test/bench/versions.ts';
import { type ProofWorld, startProofWorld } from '../test/proofs/proof-world.ts';
import { databaseAway, type Proof, proofs } from '../test/proofs/proofs.ts';
import { soakBooking } from './soak/booking.ts';
import { soakHandover } from './soak/handover.ts';
import { soakInfra } from './soak/infra.ts';
import { soakNemesis } from './soak/nemesis.ts';
import { soakOutbound } from './soak/outbound.ts';
import { soakPhone } from './soak/phone.ts';
import { soakPooler } from './soak/pooler.ts';
import { soakRollout } from './soak/rollout.ts';
import { soakUnkind } from './soak/unkind.ts';
import { soakWidget } from './soak/widget.ts';
import { Fault } from './toolchain/fault.ts';
import { readArguments, runScript } from './toolchain/script.ts';

interface Plan {
  proof: Proof;
  times: number;
}

interface Count {
  proof: string;
  times: number;
  passed: number;
  seconds: number;
  /** Among which the times were shared out. */
  worlds: number;
}

/** The longest outage takes as long as it says: one world alone goes through it a few times only. */
const longOutageMs = 90_000;
const longOutageTimes = 3;
/** Each is five processes and a PostgreSQL. */
const mostWorlds = 16;
/** No proof takes longer than its own deadlines allow; one that hangs is a failure. */
const proofLimitMs = 5 * 60_000;

const results = new URL('../test/bench/results/', import.meta.url);
const say = (text: string) => void process.stdout.write(text);

function readPlans(args: string[]): { plans: Plan[]; worlds: number } {
  const { values } = readArguments({
    args,
    options: {
      times: { type: 'string', default: '50' },
      only: { type: 'string' },
      worlds: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    say(
      "Usage: npm run soak [-- --times 50] [--only <part of a proof's name>] [--worlds 1]\n       npm run soak -- handover --help\n       npm run soak -- unkind --help\n       npm run soak -- nemesis --help\n       npm run soak -- infra\n       npm run soak -- widget\n       npm run soak -- rollout\n       npm run soak -- outbound --help\n       npm run soak -- booking\n       npm run soak -- phone\n       npm run soak -- pooler --help\n",
    );
    process.exit(0);
  }
  const times = Number(values.times);
  if (!Number.isInteger(times) || times < 1) throw new Fault(`--times is "${values.times}": give a whole number.`);
  const worlds = Number(values.worlds);
  if (!Number.isInteger(worlds) || worlds < 1 || worlds > mostWorlds)
    throw new Fault(`--worlds is "${values.worlds}": give a whole number up to ${mostWorlds}.`);
  const all: Plan[] = [
    ...proofs.map((proof) => ({ proof, times })),
    { proof: databaseAway(longOutageMs), times: worlds > 1 ? times : Math.min(times, longOutageTimes) },
  ];
  const chosen = all.filter(({ proof }) => values.only === undefined || proof.name.includes(values.only));
  if (chosen.length > 0) return { plans: chosen, worlds };
  throw new Fault(
    `No proof has "${values.only}" in its name:\n${all.map(({ proof }) => `  ${proof.name}`).join('\n')}`,
  );
}

async function runMany(worlds: readonly ProofWorld[], { proof, times }: Plan): Promise<Count> {
  say(`${proof.name}\n  `);
  const began = performance.now();
  let [begun, passed] = [0, 0];
  const inTurn = async (world: ProofWorld) => {
    while (begun < times) {
      begun += 1;
      await within(proofLimitMs, 'a proof', proof.run(world));
      passed += 1;
      say(passed % 10 === 0 ? `${passed}` : '.');
    }
  };
  await Promise.all(worlds.map(inTurn));
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`  ${passed} of ${times} in ${seconds} s\n`);
  return { proof: proof.name, times, passed, seconds, worlds: worlds.length };
}

async function main([kind, ...more]: string[]): Promise<void> {
  if (kind === 'handover') return soakHandover(more);
  if (kind === 'unkind') return soakUnkind(more);
  if (kind === 'nemesis') return soakNemesis(more);
  if (kind === 'infra') return soakInfra();
  if (kind === 'widget') return soakWidget();
  if (kind === 'booking') return soakBooking();
  if (kind === 'rollout') return soakRollout();
  if (kind === 'outbound') return soakOutbound(more);
  if (kind === 'phone') return soakPhone();
  if (kind === 'pooler') return soakPooler(more);
  const args = kind === undefined ? [] : [kind, ...more];
  const { plans, worlds: count } = readPlans(args);
  await using stack = new AsyncDisposableStack();
  const worlds: ProofWorld[] = [];
  while (worlds.length < count) worlds.push(stack.use(await startProofWorld()));
  const counts: Count[] = [];
  for (const plan of plans) {
    try {
      counts.push(await runMany(worlds, plan));
    } catch (error) {
      say(`\nfailed: ${(error as Error).stack}\n${worlds.map(({ world }) => world.output()).join('\n')}\n`);
      process.exitCode = 1;
      return;
    }
  }
  await keep(counts);
}

/** Each proof's latest run, whichever of them ran this time. */
async function keep(counts: readonly Count[]): Promise<void> {
  const file = new URL('soak.json', results);
  const known = await readFile(file, 'utf8').then(
    (text) => (JSON.parse(text) as { proofs: Record<string, unknown> }).proofs,
    () => ({}),
  );
  const at = new Date().toISOString();
  // Proofs run at different times on different commits: each count says which.
  const { parley, ...others } = await versions();
  const ran = Object.fromEntries(counts.map(({ proof, ...count }) => [proof, { at, ...count, parley }]));
  await mkdir(results, { recursive: true });
  const record = { machine: machine(), versions: others, proofs: { ...known, ...ran } };
  await writeFile(file, `${JSON.stringify(record, null, 2)}\n`);
}

await runScript(main);
// The native room client keeps its threads.
process.exit();
