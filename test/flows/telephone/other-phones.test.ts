import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { joined, resampled, silence, spoken, wavOf } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';
import { type Listener, openListener } from '../../support/people/understood.ts';
import { addNumber, addTrunk, bridgeKnows, startTelephone, type Telephone } from '../../support/phone/telephone.ts';
import { addAgents } from '../../support/world/agent-files.ts';
import { endsWithUs } from '../../support/world/ends-with-us.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';

/** A telephone that others have written, with sound both ways. */

const number = '+4930100001';
const telephoneRate = 8_000;
let telephone: Telephone;
let listener: Listener;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-phones-'));
  listener = openListener(await localSpeechVariables(), { en: ['welcome to the echo', 'hello to you'] });
  telephone = await startTelephone();
  const rules = [{ when: '^hello my friend$', language: 'en', say: 'Hello to you.' }];
  await addAgents(telephone.world, { polite: { script: { fallback: { en: 'Pardon?', de: 'Wie bitte?' }, rules } } });
  await addNumber(telephone.world, { number, trunk_id: await addTrunk(telephone.world), agent: 'polite' });
  await bridgeKnows(telephone, number);
});

afterAll(async () => {
  await telephone?.[Symbol.asyncDispose]();
  await listener?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Stored {
  session_id: string;
  state: string;
  end_reason: string;
  hung_up_by: string;
}

const calls = (state: string) =>
  telephone.world.admin.query<Stored>(sql`
    select c.session_id, c.state, c.hung_up_by, s.end_reason from calls c join sessions s on s.id = c.session_id
    where c.state = ${state} order by c.asked_at`);

/** Of WAV, mono, at the telephone's rate. */
const samplesOf = (wav: Buffer) =>
  resampled(
    new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + (wav.length & ~1))),
    telephoneRate,
    16_000,
  );

async function startBaresip(target: string): Promise<ChildProcess> {
  const said = join(folder, 'said.wav');
  const sound = joined(silence(8_000), await spoken('hello my friend'), silence(60_000));
  await writeFile(said, wavOf(sound, telephoneRate));
  const modules = ['g711', 'aufile', 'aubridge', 'sndfile'].map((name) => `module ${name}.so`);
  const settings = [
    ...['module_path /usr/lib/baresip/modules', ...modules, 'module_app account.so', 'module_app menu.so'],
    ...['sip_listen 127.0.0.1:0', `ausrc_srate ${telephoneRate}`, 'ausrc_channels 1'],
    ...[`audio_source aufile,${said}`, 'audio_player aubridge,nobody', `snd_path ${folder}`],
  ];
  await writeFile(join(folder, 'config'), `${settings.join('\n')}\n`);
  await writeFile(join(folder, 'accounts'), '<sip:+491701234567@127.0.0.1>;regint=0\n');
  return spawn(...endsWithUs('baresip', ['-f', folder, '-e', `/dial ${target}`]), {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

test('baresip calls, is greeted, understood and answered, and hangs up', async () => {
  const { address, port } = telephone.bridge.sip;
  const baresip = await startBaresip(`sip:${number}@${address}:${port}`);
  const [{ session_id: session } = { session_id: '' }] = await eventually('it talks', async () => {
    const rows = await calls('answered');
    return rows.length === 1 && rows;
  });
  const lines = async () => (await spokenTranscript(telephone.world, session, 1)).map(lineOf);
  await eventually('it is answered aloud', async () => (await lines()).includes('ASSISTANT VOICE: Hello to you.'));
  expect(await lines()).toContain('USER VOICE: hello my friend');
  const heard = async () => {
    const [dump] = (await readdir(folder)).filter((name) => /^dump-.*dec\.wav$/.test(name));
    return listener.understands(samplesOf(await readFile(join(folder, dump ?? ''))), 'en');
  };
  await eventually('it has heard the greeting', async () => (await heard())?.startsWith('welcome to the echo'), {
    everyMs: 1_000,
  });
  // As q does: it hangs up and ends.
  const gone = once(baresip, 'exit');
  baresip.kill('SIGINT');
  await gone;
  const [ended] = await eventually('the call is over', async () => {
    const rows = await calls('ended');
    return rows.length === 1 && rows;
  });
  expect(ended).toMatchObject({ session_id: session, end_reason: 'call_ended', hung_up_by: 'person' });
});
