/** Run by PersonProcess: joins, writes one text, and prints each reply on a line of its own. Ends with the process that started it. */
import { Person } from './person.ts';

const [, , wsUrl = '', token = '', text = ''] = process.argv;
process.on('disconnect', () => process.exit());
const person = await Person.join({ wsUrl, token });
await person.write(text);
let printed = 0;
setInterval(() => {
  for (const reply of person.texts().slice(printed)) {
    process.stdout.write(`${reply}\n`);
    printed += 1;
  }
}, 20);
