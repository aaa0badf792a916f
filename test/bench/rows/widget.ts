import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { folderWith } from '../../browser/widget/foreign.ts';
import type { Figure, Measured, Row, Target } from '../row.ts';
import { oneFigure } from '../statistics.ts';

const ours = new URL('../../../services/web/widget/dist/', import.meta.url).pathname;

/** What each of them has a page import to hold a conversation; none of them draws anything. */
const others = {
  Vapi: {
    packages: { '@vapi-ai/web': '2.7.1' },
    program: `import Vapi from '@vapi-ai/web'; window.start = () => new Vapi('k').start('a');`,
  },
  Retell: {
    packages: { 'retell-client-js-sdk': '2.0.8' },
    program: `import { RetellWebClient } from 'retell-client-js-sdk'; window.start = () => new RetellWebClient().startCall({ accessToken: 't' });`,
  },
  ElevenLabs: {
    packages: { '@elevenlabs/client': '1.25.0' },
    program: `import { Conversation } from '@elevenlabs/client'; window.start = () => Conversation.startSession({ agentId: 'a' });`,
  },
};

/** Bytes that a visitor's browser fetches, compressed as gzip does. */
export const widget: Row = {
  name: 'widget',
  title: 'The widget: bytes before it is opened, and until the first word',
  against:
    'the public web SDKs of Vapi, Retell and ElevenLabs, each built by the same bundler in the same run; they draw nothing',
  limitMinutes: 10,
  run: async ({ say }) => {
    await buildWidget();
    const figures = await ourFigures();
    for (const [name, { packages, program }] of Object.entries(others)) {
      const bytes = await bundled(await folderWith('web-sdks', packages as Record<string, string>), program);
      say(`${name}: ${kilobytes(bytes)} kB`);
      figures.push(kilobytesOf(`${name}: all that a page loads`, bytes));
    }
    return { figures, notes } satisfies Measured;
  },
};

const notes = [
  'Compressed by gzip at its best. Ours until the first word is the loader, the window and the room client, which text and voice share; a language other than English adds 1 kB.',
  'The others are what their package comes to when a page imports it and calls it, without anything to see, and without what they fetch from their own servers as they run (Vapi loads its call object so).',
];

async function ourFigures(): Promise<Figure[]> {
  const names = (await readdir(ours)).filter((name) => name.endsWith('.js'));
  const sizeOf = async (wanted: RegExp) => {
    const name = names.find((one) => wanted.test(one));
    if (!name) throw new Error(`the build has no ${wanted}`);
    return compressed(await readFile(join(ours, name)));
  };
  const [loader, app, room] = [await sizeOf(/^widget\.js$/), await sizeOf(/^app-/), await sizeOf(/^livekit/)];
  return [
    kilobytesOf('before it is opened', loader, { text: '≤ 5 kB', atMost: 5 }),
    kilobytesOf('until the window is there', loader + app),
    kilobytesOf('until the first word, written or spoken', loader + app + room),
  ];
}

const compressed = (content: Buffer) => gzipSync(content, { level: 9 }).length;
const kilobytes = (bytes: number) => Math.round(bytes / 10) / 100;
const kilobytesOf = (name: string, bytes: number, target?: Target): Figure =>
  oneFigure({ name, unit: 'kB', ...(target && { target }) }, kilobytes(bytes));

async function bundled(packages: string, program: string): Promise<number> {
  const output = await mkdtemp(join(tmpdir(), 'parley-sdk-'));
  const entry = join(packages, 'entry.js');
  try {
    await writeFile(entry, program);
    await build({
      ...{ configFile: false, root: packages, logLevel: 'error' },
      build: { outDir: output, emptyOutDir: true, modulePreload: false, rolldownOptions: { input: entry } },
    });
    const files = await readdir(output, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile() && file.name.endsWith('.js'))
      .map(async (file) => compressed(await readFile(join(file.parentPath, file.name))));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}
