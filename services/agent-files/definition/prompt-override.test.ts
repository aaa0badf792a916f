import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';
import { promptOverride } from './prompt-override.ts';

const sound = 'name: Desk\nprompt: Be kind.\nlanguages: [{ code: en, name: English }]\n';

test.each([
  ['', 'prompt-override'],
  ['allowedOrigins: [https://example.com]\n', 'prompt-override'],
  ['allowedOrigins: []\n', undefined],
  ['sessions: { systemPrompt: signed }\n', undefined],
  ['sessions: { systemPrompt: never }\n', undefined],
  ['sessions: { requireSignature: true }\n', undefined],
  ['widget: {}\n', undefined],
])(
  'that anybody with the key may replace the prompt is told, unless no page may have it or a signature is asked for: %j',
  (more, rule) => {
    const [version] = checkFiles(new Map([['desk.yaml', `${sound}${more}`]])).agents;
    expect(version && promptOverride(version.agent)?.rule).toBe(rule);
  },
);
