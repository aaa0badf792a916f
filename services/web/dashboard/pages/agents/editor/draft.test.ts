import { expect, test } from 'vitest';
import { makeDrafts } from './draft.ts';

const place = { person: 'p', tenant: 't', agent: 'a' };

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

test('a draft is found by its person, tenant and agent only, until it is dropped', () => {
  const storage = memory();
  const drafts = makeDrafts(() => storage);
  drafts.write(place, { text: 'Be kind.', fileId: 'f1' });
  expect(drafts.read(place)).toEqual({ text: 'Be kind.', fileId: 'f1' });
  for (const other of [{ person: 'q' }, { tenant: 'u' }, { agent: 'b' }])
    expect(drafts.read({ ...place, ...other })).toBeUndefined();
  drafts.drop(place);
  expect(drafts.read(place)).toBeUndefined();
});

test.each(['', '{', 'null', '[]', '{"text":1,"fileId":"f"}', '"text"'])('what is no draft is none: %j', (kept) => {
  const drafts = makeDrafts(() => ({ ...memory(), getItem: () => kept }));
  expect(drafts.read(place)).toBeUndefined();
});

test('a browser that forbids storage loses the draft with the page, and nothing else', () => {
  const drafts = makeDrafts(() => {
    throw new Error('forbidden');
  });
  drafts.write(place, { text: 'x', fileId: 'f' });
  drafts.drop(place);
  expect(drafts.read(place)).toBeUndefined();
});
