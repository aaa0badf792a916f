import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelsFile } from '../../scripts/toolchain/speech-models.ts';
import { findAbilities, openLocalEngines, openSpeech } from '../../services/agent/speech/speech.ts';
import { makeLogger } from '../../services/process/logger.ts';
import { settings } from '../../services/settings/settings.ts';
import { scoreOf } from '../bench/speech/score.ts';
import { eventually } from '../support/eventually.ts';
import { saidByRecordedVoice } from '../support/people/recorded-voices.ts';
import { joined, microphoneRate, silence, trimmed, wavOf } from '../support/people/speech-sound.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';
import { ownPorts, Started } from '../support/world/started.ts';
import { openBrowser, openContext } from './chromium.ts';
import { giveSound, heardBy, sayFile } from './page-sound.ts';

const run = promisify(execFile);
const minutesMs = 60_000;
/** `npm run soak -- booking` names the folder in which a clone is made, or was; then it is told once more without a way to the internet. */
const folder = process.env.SOAK_BOOKING ?? '';
/** Of a hundred words of the answer, heard as others: how a reference and a time are read out, dictation writes in its own way. */
const mostWrong = 25;
const mostTimes = 3;

/** Said freely: none of it is in the agent's phrases, or in a test of its rules. */
const turns: readonly [file: string, said: string, answered: RegExp][] = [
  ['wish', 'Good evening, could you reserve something nice for the two of us?', /which day/],
  ['day', 'Well, we were thinking of tomorrow, if that is possible.', /what time/],
  ['time', 'It would suit us best at half past seven in the evening.', /which name/],
  ['name', 'You can put it under the name Miller.', /reference is B-/],
];

let browser: Browser | undefined;

beforeAll(async () => {
  if (!folder) return;
  initializeLogger({ pretty: false, level: 'silent' });
  await mkdir(folder, { recursive: true });
  if (!existsSync(join(folder, 'parley')))
    await run('git', ['clone', '--quiet', join(import.meta.dirname, '../..'), join(folder, 'parley')]);
  for (const [file, text] of turns) {
    const said = joined(silence(300), await saidByRecordedVoice(text, 'slt'), silence(300));
    await writeFile(join(folder, `${file}.wav`), wavOf(said));
  }
  browser = await openBrowser();
}, 10 * minutesMs);

afterAll(() => browser?.close());

const answers = (page: Page) => page.locator('.said.agent[aria-busy=false]');

/** Said again where it was not understood, as a person does. */
async function say(page: Page, file: string, answered: RegExp): Promise<string> {
  for (let time = 1; ; time += 1) {
    await sayFile(page, join(folder, `${file}.wav`));
    const answer = answers(page).filter({ hasText: answered }).last();
    const came = await answer.waitFor({ timeout: 30_000 }).then(
      () => true,
      () => false,
    );
    // Below the words the page says how long they took.
    if (came) return /^\s*Agent:?\s*(.+)/.exec(await answer.innerText())?.[1] ?? '';
    const shown = await page.locator('.said').allInnerTexts();
    if (time === mostTimes) throw new Error(`"${file}" had no such answer as ${answered}: ${shown.join(' | ')}`);
  }
}

async function recognised(sound: Int16Array): Promise<string> {
  const logger = makeLogger({ service: 'test', level: 'silent' });
  const env = { ...process.env, [settings.speech.settings.models.name]: modelsFile() };
  const engines = openLocalEngines({ env, logger });
  try {
    const abilities = await findAbilities(env, engines);
    const choice = { language: 'en', voice: undefined };
    const speech = await openSpeech(compiledAgent(), choice, { env, logger, engines, abilities });
    const { alternatives } = await speech.stt.recognize(new AudioFrame(sound, microphoneRate, 1, sound.length));
    await speech.close();
    return alternatives?.[0].text ?? '';
  } finally {
    await engines.close();
  }
}

/** A way out of this machine is a route to anywhere. */
const hasWayOut = async () => /^\S+\t00000000\t/m.test(await readFile('/proc/net/route', 'utf8'));

test.runIf(folder)(
  'a fresh clone books a table by voice, and answers in a natural one that is understood again',
  async () => {
    const natural = { [settings.localSpeech.name]: 'natural' };
    await using start = new Started(join(folder, 'parley'), await ownPorts(), natural);
    const { baseUrl } = await start.ready();
    await eventually('natural speech is loaded', () => /Natural speech is ready: .*whisper-base/.test(start.output), {
      withinMs: 10 * minutesMs,
    });
    const page = await (await openContext(browser as Browser)).newPage();
    await giveSound(page);
    await page.goto(`${baseUrl}/try`);
    await page.getByRole('radio', { name: 'Gasthaus zur Linde' }).check();
    await page.getByRole('button', { name: 'Start conversation' }).click();
    await answers(page).filter({ hasText: 'What can I do for you?' }).waitFor();
    await page.getByRole('button', { name: 'Talk instead' }).click();
    await page.getByRole('button', { name: 'Mute' }).waitFor();
    let booked = '';
    for (const [file, , answered] of turns) {
      await heardBy(page);
      booked = await say(page, file, answered);
    }
    expect(booked).toMatch(/A table for 2 on .* at 19:30, under the name Miller/);
    const spoken = trimmed(await heardBy(page));
    await writeFile(join(folder, 'answer.wav'), wavOf(spoken));
    const understood = await recognised(spoken);
    const { errors, words: of } = scoreOf(booked, understood);
    const way = (await hasWayOut()) ? 'with' : 'without';
    process.stdout.write(
      `${way} a way out: "${booked}" was heard as "${understood}", ${errors} of ${of} words other\n`,
    );
    expect((100 * errors) / of).toBeLessThanOrEqual(mostWrong);
    await page.getByRole('button', { name: 'End conversation' }).click();
    await page.getByRole('heading', { name: 'Conversation over' }).waitFor();
    await start.interrupt();
  },
  20 * minutesMs,
);
