/** Run by PersonProcess: joins, writes one text, and prints each reply on a line of its own. Ends with the process that started it. */
import { eventually } from '../eventually.ts';
import { Person } from './person.ts';
import type { PersonOptions } from './person-process.ts';

const [, , wsUrl = '', token = '', text = '', given = '{}'] = process.argv;
const { answers = {}, waitsFor } = JSON.parse(given) as PersonOptions;
process.on('disconnect', () => process.exit());
const person = await Person.join({ wsUrl, token });
for (const [method, answer] of Object.entries(answers))
  person.room.localParticipant?.registerRpcMethod(method, async () => answer);
if (waitsFor !== undefined)
  await eventually(`${waitsFor} is there`, () => person.room.remoteParticipants.has(waitsFor));
await person.write(text);
let printed = 0;
setInterval(() => {
  for (const reply of person.texts().slice(printed)) {
    process.stdout.write(`${reply}\n`);
    printed += 1;
  }
}, 20);
