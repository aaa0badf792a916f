import { describe, expect, test } from 'vitest';
import type { InteractionMode } from '../../../contract/session.ts';
import type { Draft } from '../../../store/tables/messages.ts';
import type { Output } from '../output.ts';
import type { TurnFact } from '../state/fact.ts';
import type { Thought, WaitingText } from '../state/state.ts';
import type { ToolGuard } from '../tool-guard.ts';
import type { Transcript } from '../transcript.ts';
import type { Model } from './model.ts';
import { Outputs } from './outputs.ts';
import { Turns } from './turns.ts';

/** All that it is given is heard, up to where the person cuts it; what is written is taken once. */
function anOutput(heard: number | undefined, mode: InteractionMode): Output {
  let said = '';
  let taken = 0;
  const known = () => (heard === undefined ? said : said.slice(0, heard));
  return {
    ...{ segment: 'seg_1', mode, times: mode === 'TEXT' ? { lastWordAt: performance.now() - 400 } : {} },
    cut: heard !== undefined,
    get hasWords() {
      return said !== '';
    },
    get said() {
      return known();
    },
    begin: () => undefined,
    captureText: async (text) => {
      said += text;
    },
    interject: (line) => {
      said += `${line} `;
      return true;
    },
    sayFirst: (line) => {
      said = `${line} ${said}`;
      return true;
    },
    end: async () => undefined,
    take: async () => {
      const part = known().slice(taken);
      if (mode === 'TEXT') taken = known().length;
      return part;
    },
    takeBeforeTool: async () => '',
    stop: () => undefined,
    mute: () => undefined,
    interrupted: () => undefined,
    repeatIfBroken: async () => true,
  };
}

const well: Thought = { failed: false, interrupted: false, tokens: 7 };

interface Given {
  /** What the model says, and what comes of it. */
  says?: string[];
  thought?: Thought;
  /** A line that comes before the model's first word. */
  filler?: string;
  /** One that comes when the model has said all, and nothing of it is heard. */
  fillerFirst?: string;
  /** So much of what is said is heard, in characters; undefined: all. */
  heard?: number;
  mode?: InteractionMode;
}

/** Turns with a model that says what the test gives it. */
function turnsWith({ says = [], thought = well, filler, fillerFirst, heard, mode = 'VOICE' }: Given = {}) {
  const outputs: Output[] = [];
  const asked: { text: string | undefined; goesOn: boolean }[] = [];
  const stored: { content: string; closesTurn: boolean; agoMs: number }[] = [];
  const told = { remembered: [] as string[], heardOnly: [] as string[] };
  const waiting: { kind: TurnFact['kind']; tell: (fact: TurnFact) => void }[] = [];
  const model = {
    answer: async (text: string | undefined, { goesOn = false } = {}) => {
      asked.push({ text, goesOn });
      for (const words of says) turns.words(words);
      return thought;
    },
    remember: (line: string) => void told.remembered.push(line),
    heardOnly: async (said: string) => void told.heardOnly.push(said),
  };
  const turns: Turns = new Turns({
    post: (fact) => waiting.find(({ kind }) => kind === fact.kind)?.tell(fact),
    outputs: new Outputs(
      () => {
        const output = anOutput(heard, mode);
        outputs.push(output);
        return output;
      },
      () => undefined,
    ),
    model: model as unknown as Model,
    guard: { newTurn: () => undefined, hasCalled: false, toolsMs: 0 } as ToolGuard,
    transcript: {
      said: async (_: unknown, said: (typeof stored)[number]) => stored.push(said),
    } as unknown as Transcript,
    arrived: async () => true,
    keepDraft: async () => undefined,
    resumes: () => true,
    filler: () => filler ?? fillerFirst ?? '',
    onTokens: () => undefined,
    onTurn: () => undefined,
    onFault: (error) => {
      throw error;
    },
  });
  const next = (kind: TurnFact['kind']) =>
    new Promise<TurnFact>((tell) => {
      waiting.push({ kind, tell });
    });
  /** One turn from its text to the transcript. */
  const turn = async (text: Partial<WaitingText> = {}) => {
    const thinking = next('thought');
    turns.carryOut({
      kind: 'think',
      turn: 1,
      text: { text: 'hello', sequence: Promise.resolve(1), begun: text.draft !== undefined, ...text },
      isFilled: false,
    });
    if (filler) turns.carryOut({ kind: 'fill', turn: 1 });
    const fact = await thinking;
    if (fillerFirst) turns.carryOut({ kind: 'fill_unheard', turn: 1 });
    const closing = next('turn_closed');
    const closed = { closesTurn: true, unsaid: false, interrupted: false, tokens: 7 };
    turns.carryOut({ kind: 'close_turn', turn: 1, closing: closed });
    await closing;
    return fact;
  };
  const shown = () => outputs.map(({ said }) => said);
  const longAgo = () => stored.map(({ agoMs }) => agoMs);
  return { turn, asked, stored: () => stored.map(({ content }) => content), longAgo, shown, told };
}

const draft = (content: string, told: number, complete: boolean): Draft => ({
  segment: 'seg_0',
  content,
  told,
  complete,
});

describe('a turn', () => {
  test('is asked of the model and stored as it was said', async () => {
    const it = turnsWith({ says: ['Good ', 'day.'] });
    expect(await it.turn()).toMatchObject({ failed: false });
    expect(it.asked).toEqual([{ text: 'hello', goesOn: false }]);
    expect(it.stored()).toEqual(['Good day.']);
  });

  test('has the time of its last word, which the person may have answered before this host knows that it is out', async () => {
    const written = turnsWith({ says: ['Good day.'], mode: 'TEXT' });
    await written.turn();
    expect(written.longAgo()).toEqual([expect.toSatisfy((ms: number) => ms >= 400)]);
    const spoken = turnsWith({ says: ['Good day.'] });
    await spoken.turn();
    expect(spoken.longAgo()).toEqual([0]);
  });

  test('in which the model says nothing and calls nothing has failed, also when the service filled the silence (voice 5)', async () => {
    expect(await turnsWith().turn()).toMatchObject({ failed: true });
    expect(await turnsWith({ filler: 'One moment.' }).turn()).toMatchObject({ failed: true });
  });

  test('of which nothing is heard for long begins with the filler, once', async () => {
    const it = turnsWith({ says: ['Good day.'], fillerFirst: 'One moment.' });
    await it.turn();
    expect(it.stored()).toEqual(['One moment. Good day.']);
    const filled = turnsWith({ says: ['Good day.'], filler: 'One moment.', fillerFirst: 'One moment.' });
    await filled.turn();
    expect(filled.stored()).toEqual(['One moment. Good day.']);
  });

  test('that the person cut is remembered up to what they heard', async () => {
    const it = turnsWith({ says: ['Good day to you.'], heard: 8 });
    await it.turn();
    expect(it.told.heardOnly).toEqual(['Good day']);
  });
});

describe('a turn that a former host had begun', () => {
  const story = 'Once there was a miller. He had three sons. ';

  test('is not begun with the filler: where it goes on is told by its words', async () => {
    const it = turnsWith({ fillerFirst: 'One moment.' });
    await it.turn({ draft: draft(story, 30, true) });
    expect(it.stored()).toEqual([story]);
  });

  test('and whose words are complete is said on without the model, stored whole, and told to the model afterwards', async () => {
    const it = turnsWith();
    expect(await it.turn({ draft: draft(story, 30, true) })).toMatchObject({ failed: false });
    expect(it.asked).toEqual([]);
    expect(it.stored()).toEqual([story]);
    expect(it.told.remembered).toEqual([story]);
  });

  test('is remembered only as far as it was heard when the person cuts the rest', async () => {
    const it = turnsWith({ heard: 6 });
    await it.turn({ draft: draft(story, 30, true) });
    expect(it.stored()).toEqual(['Once there was a miller. He had']);
    expect(it.told.remembered).toEqual(['Once there was a miller. He had']);
  });

  test('and whose words were not complete is asked of the model, which goes on; what it repeats is not said again', async () => {
    const it = turnsWith({ says: ['Once there was a miller. ', 'He had three sons. And a cat.'] });
    await it.turn({ draft: draft(`${story}And`, 0, false) });
    expect(it.asked).toEqual([{ text: undefined, goesOn: true }]);
    expect(it.told.remembered).toEqual([story]);
    expect(it.stored()).toEqual([`${story}And a cat.`]);
  });

  test('and goes on with new words that the person cuts is remembered by those that were heard', async () => {
    const it = turnsWith({ says: ['And a cat.'], heard: story.length + 5 });
    await it.turn({ draft: draft(story, 0, false) });
    expect(it.told.heardOnly).toEqual(['And a']);
  });

  describe('and that called a tool, with words before it', () => {
    const before = 'Let me look. ';
    const after = 'It is five. ';

    test('is shown in writing with them, under the same name, and they are stored only once', async () => {
      const it = turnsWith({ mode: 'TEXT', says: ['It is five. ', 'In the afternoon.'] });
      await it.turn({ draft: { ...draft(after, 0, false), before } });
      expect(it.shown()).toEqual([`${before}${after}In the afternoon.`]);
      expect(it.stored()).toEqual([`${after}In the afternoon.`]);
    });

    test('is shown with them also where nothing of the rest was whole, and it is thought anew', async () => {
      const it = turnsWith({ mode: 'TEXT', says: [after] });
      await it.turn({ draft: { ...draft('It is', 0, false), before } });
      expect(it.shown()).toEqual([before + after]);
      expect(it.stored()).toEqual([after]);
    });

    test('and goes on with new words that the person stops is remembered by those that were read', async () => {
      const it = turnsWith({ mode: 'TEXT', says: ['In the afternoon.'], heard: before.length + after.length + 6 });
      await it.turn({ draft: { ...draft(after, 0, false), before } });
      expect(it.told.heardOnly).toEqual(['In the']);
    });

    test('is not heard with them again', async () => {
      const it = turnsWith();
      await it.turn({ draft: { ...draft(after, 0, true), before } });
      expect(it.shown()).toEqual([after]);
    });
  });
});
