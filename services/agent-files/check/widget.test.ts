import { describe, expect, test } from 'vitest';
import agentSchema from '../../../schemas/agent.schema.json' with { type: 'json' };
import { checkFiles } from '../check-files.ts';

const agent = (widget: string, more = '') => `name: Desk
prompt: Be kind.
languages:
  - { code: en, name: English, voices: [{ id: amy, name: Amy, default: true }] }
  - { code: de, name: Deutsch, voices: [{ id: eva, name: Eva, default: true }] }
sessions: { systemPrompt: never${more} }
widget: ${widget}
`;
const check = (widget: string, more = '') => checkFiles(new Map([['desk.yaml', agent(widget, more)]]));
const faultsOf = (widget: string, more = '') =>
  check(widget, more)
    .faults.filter(({ severity }) => severity === 'error')
    .map(({ rule, message }) => `${rule}: ${message}`);

test('the widget of a file has a field for every attribute of the tag, by one name, and its texts', () => {
  const names = Object.keys(agentSchema.$defs.Widget.properties);
  expect(names).toEqual([
    ...['mode', 'language', 'voiceId', 'position', 'theme', 'color'],
    ...['title', 'subtitle', 'greeting', 'open', 'consent', 'target'],
    'texts',
  ]);
});

test('it is live as it is written, with defaults, and its texts by language', () => {
  const [live] = check('{ language: DE, voiceId: eva, greeting: Hi!, consent: { en: Yes?, de: Ja? } }').agents;
  expect(live?.agent.settings.widget).toEqual({
    ...{ mode: 'both', language: 'de', voiceId: 'eva', position: 'bottom-right', theme: 'auto', color: '#1f5fbf' },
    ...{ greeting: { '*': 'Hi!' }, open: false, consent: { en: 'Yes?', de: 'Ja?' } },
  });
});

describe('refused with what would be right', () => {
  test('a language that the agent does not speak', () => {
    expect(faultsOf('{ language: fr }')).toEqual([
      'widget-language: The widget\'s language must be one of the agent\'s (en, de), not "fr".',
    ]);
  });

  test('a voice that it does not have, or not in the language of the widget', () => {
    expect(faultsOf('{ voiceId: bob }')).toEqual([
      'widget-voice: The widget\'s voice must be one of the agent\'s voices (amy, eva), not "bob".',
    ]);
    expect(faultsOf('{ language: de, voiceId: amy }')).toEqual([
      'widget-voice: The widget\'s voice must be one of the voices of "de" (eva), not "amy".',
    ]);
    expect(faultsOf('{ voiceId: eva }')).toEqual([]);
  });

  test('speech alone where no microphone is permitted', () => {
    expect(faultsOf('{ mode: voice }', ', microphone: false')).toEqual([
      expect.stringMatching(/^widget-mode: Nobody can speak/),
    ]);
    expect(faultsOf('{ mode: both }', ', microphone: false')).toEqual([]);
  });

  test('a text that is missing in a language', () => {
    expect(faultsOf('{ consent: { en: Yes? } }')).toEqual([
      expect.stringMatching(/^text-language: A text for de is missing/),
    ]);
  });
});
