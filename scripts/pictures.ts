/**
 * `npm run pictures`: takes the pictures of README.md, docs/pictures/*.png, from the product itself: an installation of the tests with the agents
 * of agents/, real conversations with them, and the dashboard in Chromium. `-- --to <folder>` puts them elsewhere, `-- --all` adds the dark ones
 * and those of a phone.
 */
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openBrowser } from '../test/browser/chromium.ts';
import { invitation, openPeople, password, Visitor } from '../test/support/people/account.ts';
import { peopleKeys } from '../test/support/world/master-keys.ts';
import { startWorld } from '../test/support/world/world.ts';
import { buildPage } from './build-pages.ts';
import { demoToolsUrl, startDemoTools } from './demo/tools.ts';
import { conversations, hold } from './pictures/conversations.ts';
import { looks, takePictures } from './pictures/take.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const repository = join(import.meta.dirname, '..');
const email = 'mara@example.com';

async function main(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: { to: { type: 'string' }, all: { type: 'boolean', default: false } },
  });
  const folder = values.to ?? join(repository, 'docs/pictures');
  await mkdir(folder, { recursive: true });
  await Promise.all([buildPage('dashboard'), buildPage('try')]);
  const tools = await startDemoTools(0);
  const env = { [demoToolsUrl]: `http://127.0.0.1:${(tools.address() as AddressInfo).port}` };
  await using world = await startWorld({ agents: join(repository, 'agents'), env, settings: { peopleKeys } });
  const people = openPeople(world.serviceUrl);
  const browser = await openBrowser();
  const staying: Awaited<ReturnType<typeof hold>>[] = [];
  try {
    const token = await invitation(people, world.tenant, email, 'owner');
    await new Visitor([world.baseUrl]).accept(token, 'Mara Lindner');
    for (const conversation of conversations) staying.push(await hold(world, conversation));
    const taken = { browser, baseUrl: world.baseUrl, email, password, folder };
    for (const look of values.all ? looks : looks.slice(0, 1)) await takePictures(taken, look);
  } finally {
    for (const person of staying) await person?.leave();
    await browser.close();
    await people.close();
    tools.close();
  }
}

await runScript(main);
// A room that somebody has left keeps the native part of the room's client, and with it the process, alive.
process.exit();
