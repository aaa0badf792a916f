import type { BuiltinToolFile } from './builtin-tool.ts';

export const pressKeys: BuiltinToolFile<'press_keys'> = {
  name: 'press_keys',
  docs: 'presses keys of the telephone, for the menu of a machine at the other end',
  declare: () => ({
    description:
      'Presses keys of the telephone that you are on, such as 2 in "press 2 for orders". Call it only where a machine at the other end asks for keys.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['keys'],
      properties: {
        keys: { type: 'string', pattern: '^[0-9*#]{1,32}$', description: 'In their order, such as 2 or 123#.' },
      },
    },
  }),
  run: async ({ keys }, conversation) =>
    (await conversation.pressKeys(String(keys)))
      ? { tell: 'Pressed. Wait for what the machine says.' }
      : { refuse: 'Nobody is on the telephone here, so no key can be pressed.' },
};
