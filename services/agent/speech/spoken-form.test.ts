import { expect, test } from 'vitest';
import { spokenForm } from './spoken-form.ts';

test.for([
  ['We open at **noon**, every day.', 'We open at noon, every day.'],
  ['# Opening hours\n- Monday: *noon* to ten\n- Tuesday: closed', 'Opening hours Monday: noon to ten Tuesday: closed'],
  ['Great! 🎉 See you 👍🏽 soon ☀️.', 'Great! See you soon.'],
  ['See [our menu](https://example.com/menu?lang=en).', 'See our menu.'],
  ['It is at https://www.example.com/menu/today?lang=en#top, under lunch.', 'It is at example.com, under lunch.'],
  ['Look (https://example.com:8443/a) at http://example.org.', 'Look (example.com) at example.org.'],
  ['**This is the first half.', 'This is the first half.'],
  ['And the second.**', 'And the second.'],
  ['| Day | Hours |\n|---|---|\n| Monday | 12 |', 'Day Hours Monday 12'],
  ['Type `npm start` now.', 'Type npm start now.'],
  ['Five * three is 15, and 2 < 3 in C#.', 'Five * three is 15, and 2 < 3 in C#.'],
  ["It's 5 € – or 3.50 £, a_b and #12.", "It's 5 € – or 3.50 £, a_b and #12."],
  ['我们**每天**开门。', '我们每天开门。'],
  ['👍', ''],
] as const)('%j is said as %j', async ([written, said]) => {
  expect(await spokenForm(written)).toBe(said);
});
