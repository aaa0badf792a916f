import type { AbleBuiltinTool } from './builtin-tool.ts';

interface PressingKeys {
  /** 0 to 9, * and #; false where the person is not on the telephone. */
  pressKeys(keys: string): Promise<boolean>;
}

export const pressKeys: AbleBuiltinTool<'press_keys', PressingKeys> = {
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
  elsewhere: { pressKeys: async () => false },
  run: async ({ keys }, conversation) =>
    (await conversation.pressKeys(String(keys)))
      ? { tell: 'Pressed. Wait for what the machine says.' }
      : { refuse: 'Nobody is on the telephone here, so no key can be pressed.' },
};
