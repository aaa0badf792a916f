import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeLogger } from '../../../../process/logger.ts';
import { NaturalSpeech } from './natural-speech.ts';

const logger = makeLogger({ service: 'test', level: 'silent' });
const dictated = { language: 'en', hints: ['Linde'], samples: new Int16Array(160) };
let folder: string;
let natural: NaturalSpeech;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-natural-'));
  natural = new NaturalSpeech(join(folder, 'speech.json'), logger);
});

afterEach(async () => {
  await natural.close();
  await rm(folder, { recursive: true, force: true });
});

/** An engine that answers each request by this expression of Python over `request` and `count`, its number. */
async function fetchModel(answer: string): Promise<void> {
  const program = join(folder, 'engine.py');
  const lines = [
    'import json, os, sys',
    'print(json.dumps({"ready": True}), flush=True)',
    'for count, line in enumerate(sys.stdin):',
    '    request = json.loads(line)',
    `    print(json.dumps({"id": request["id"], **${answer}}), flush=True)`,
  ];
  await writeFile(program, lines.join('\n'));
  const python = join(folder, 'python');
  await writeFile(python, `#!/bin/sh\nexec python3 ${program}\n`);
  await chmod(python, 0o755);
  const models = { 'whisper-base': folder, 'en_US-joe-medium': folder };
  await writeFile(join(folder, 'speech.json'), JSON.stringify({ python, models }));
}

const whisper = () => {
  const dictation = natural.dictation('en');
  if (!dictation) throw new Error('nothing was fetched');
  return dictation;
};

test('what is fetched while a host runs is there for the next conversation', async () => {
  expect(natural.dictation('en')).toBeUndefined();
  expect(natural.languages()).toEqual([]);
  const come = Promise.withResolvers<void>();
  const watching = natural.watch(async () => come.resolve());
  await fetchModel('{"text": " ".join(request["keywords"])}');
  await come.promise;
  watching.stop();
  expect(natural.languages()).toContain('de');
  expect(await whisper().hear({}, dictated)).toMatchObject({ text: 'Linde' });
});

test('a language that no model has is left to others', async () => {
  await fetchModel('{"text": ""}');
  expect(natural.dictation('tlh')).toBeUndefined();
  expect(natural.voice({ language: 'de', name: undefined })).toBeUndefined();
  expect(natural.voice({ language: 'en-GB', name: undefined })?.name).toBe('en_US-joe-medium');
  expect(natural.voice({ language: 'en', name: 'en_US-kristin-medium' })).toBeUndefined();
});

test('an engine that dies is there again for the next utterance', async () => {
  await fetchModel('({"text": "hello"} if count == 0 else os._exit(1))');
  expect((await whisper().hear({}, dictated)).text).toBe('hello');
  await expect(whisper().hear({}, dictated)).rejects.toMatchObject({ part: 'recognition', kind: 'dropped' });
  expect((await whisper().hear({}, dictated)).text).toBe('hello');
});

test('an engine that hangs is killed, whoever it was working for hears of it, and those behind them are answered', async () => {
  await fetchModel('({"text": "hello"} if request["keywords"] != ["hang"] else __import__("time").sleep(600))');
  const lines: string[] = [];
  const told = makeLogger({ service: 'test', level: 'warn', to: { write: (line: string) => void lines.push(line) } });
  const impatient = new NaturalSpeech(join(folder, 'speech.json'), told, { answerWithinMs: 1_000 });
  const dictation = impatient.dictation('en');
  const hear = (hint: string) => dictation?.hear({}, { ...dictated, hints: [hint] });
  expect(await hear('works')).toMatchObject({ text: 'hello' });
  const hung = expect(hear('hang')).rejects.toMatchObject({
    kind: 'stalled',
    message: expect.stringContaining('for 1 s'),
  });
  const behind = ['one', 'two', 'three'].map(hear);
  await hung;
  expect((await Promise.all(behind)).map((heard) => heard?.text)).toEqual(['hello', 'hello', 'hello']);
  expect(lines.join('')).toContain('a program of speech ended; it is started again when needed');
  await impatient.close();
});

test('of two models that understand a language the larger one hears', async () => {
  await fetchModel('{"text": "hello"}');
  const { python } = JSON.parse(await readFile(join(folder, 'speech.json'), 'utf8')) as { python: string };
  const models = { 'whisper-base': folder, 'whisper-small': folder };
  await writeFile(join(folder, 'speech.json'), JSON.stringify({ python, models }));
  expect(whisper().model).toBe('whisper-small');
  await natural.warmUp();
  expect(natural.warm).toEqual(['whisper-small']);
});

test('twenty who speak at once are all answered, and the twenty-sixth is told that it is too much', async () => {
  await fetchModel('{"text": "hello"}');
  const hear = () => whisper().hear({}, dictated);
  const answered = Array.from({ length: 25 }, hear);
  await expect(hear()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('more to do') });
  expect((await Promise.all(answered)).map(({ text }) => text)).toEqual(Array(25).fill('hello'));
});

test('words so far are looked for when nobody waits, and not again at once', async () => {
  await fetchModel('{"text": "quick" if request.get("quick") else "whole"}');
  const hearing = whisper().hear({}, dictated);
  expect((await whisper().glimpse({}, dictated)).text).toBe('');
  expect((await hearing).text).toBe('whole');
  expect((await whisper().glimpse({}, dictated)).text).toBe('quick');
  expect((await whisper().glimpse({}, dictated)).text).toBe('');
});

test('what was fetched has worked once before anybody speaks, and what comes later too', async () => {
  expect(natural.warm).toEqual([]);
  await natural.warmUp();
  await fetchModel('{"text": f"{count}", "audio": "", "sampleRate": 22050}');
  await Promise.all([natural.warmUp(), natural.warmUp()]);
  expect(natural.warm).toEqual(['whisper-base', 'en_US-joe-medium']);
  expect((await whisper().hear({}, dictated)).text).toBe('1');
});

test('an engine that fails when it is first loaded is tried again, and nobody is told of it', async () => {
  await fetchModel(
    '(os._exit(1) if "audio" in request and not os.path.exists("FLAG") and not open("FLAG", "w").close() else {"text": "hello", "audio": "", "sampleRate": 22050})'.replaceAll(
      'FLAG',
      join(folder, 'died'),
    ),
  );
  await natural.warmUp();
  expect(natural.warm).toEqual(['whisper-base', 'en_US-joe-medium']);
});
