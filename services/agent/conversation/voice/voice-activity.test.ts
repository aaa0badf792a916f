import { describe, expect, test } from 'vitest';
import { type Change, Listening } from './voice-activity.ts';

const windowMs = 32;
const settings = { sustainedMs: 200, pauseMs: 190, hurriedPauseMs: 110, endMs: 400 };

function listening() {
  const it = new Listening(settings);
  const hear = (probability: number, ms: number): Change[] =>
    Array.from({ length: Math.round(ms / windowMs) }, () => it.window(probability, windowMs)).flat();
  return { it, speech: (ms: number) => hear(0.9, ms), silence: (ms: number) => hear(0.02, ms), hear };
}

describe('an utterance', () => {
  test('begins, is meant, pauses and ends', () => {
    const { speech, silence } = listening();
    expect(speech(1_000)).toEqual(['began', 'sustained']);
    expect(silence(1_000)).toEqual(['paused', 'ended']);
  });

  test('goes on after a breath, and is not begun twice', () => {
    const { speech, silence } = listening();
    speech(500);
    expect(silence(256)).toEqual(['paused']);
    expect(speech(500)).toEqual(['resumed']);
    expect(silence(448)).toEqual(['paused', 'ended']);
  });

  test('that is short is never meant, and still ends', () => {
    const { speech, silence } = listening();
    expect(speech(128)).toEqual(['began']);
    expect(silence(448)).toEqual(['paused', 'ended']);
  });

  test('of two short sounds in a breath is meant by their sum', () => {
    const { speech, silence } = listening();
    speech(128);
    silence(256);
    expect(speech(128)).toEqual(['resumed', 'sustained']);
  });

  test('counts what was voiced without its pauses', () => {
    const { it, speech, silence } = listening();
    speech(320);
    silence(256);
    speech(320);
    expect(it.voicedMs).toBe(640);
  });

  test('goes on as long as the detector is half sure', () => {
    const { hear, speech } = listening();
    speech(320);
    expect(hear(0.4, 1_000)).toEqual([]);
  });
});

test('somebody who waits hears of the next pause sooner, and of the one after it as usual', () => {
  const { it, speech, silence } = listening();
  speech(300);
  expect(silence(96)).toEqual([]);
  speech(300);
  it.hurry();
  expect(silence(96)).toEqual(['paused']);
  expect(speech(300)).toEqual(['resumed']);
  expect(silence(96)).toEqual([]);
  expect(silence(96)).toEqual(['paused']);
});

test('hurry ends with its utterance', () => {
  const { it, speech, silence } = listening();
  speech(300);
  it.hurry();
  it.finish();
  speech(300);
  expect(silence(96)).toEqual([]);
});

test('speech is taken to have ended in the middle of its last window', () => {
  const { it, speech, silence } = listening();
  speech(320);
  expect(silence(352)).toEqual(['paused']);
  expect(silence(32)).toEqual(['ended']);
  expect(it.silenceMs).toBe(400);
});

test('what is open when the microphone goes away ends there', () => {
  const { it, speech, silence } = listening();
  expect(it.finish()).toEqual([]);
  speech(500);
  expect(it.finish()).toEqual(['paused', 'ended']);
  speech(500);
  silence(256);
  expect(it.finish()).toEqual(['ended']);
});

test('a click is no speech, nor is a half sure sound in silence', () => {
  const { speech, hear, silence } = listening();
  expect([...speech(32), ...silence(500), ...hear(0.4, 1_000)]).toEqual([]);
});

test('a pause in which more is expected ends later, the next one as usual', () => {
  const { it, speech, silence } = listening();
  speech(500);
  silence(256);
  it.wait(2_000);
  expect(silence(1_500)).toEqual([]);
  expect(speech(100)).toEqual(['resumed']);
  expect(silence(448)).toEqual(['paused', 'ended']);
});
