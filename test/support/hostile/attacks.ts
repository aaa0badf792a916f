/**
 * What a hostile model may emit: families of attacks, each the product of tools, places and payloads. An attack is one
 * answer of the model with its calls.
 */
import type { ToolCallReply } from '../stand-ins/openai-server.ts';
import { givenTools, validArguments } from './tools.ts';

export interface Attack {
  family: string;
  calls: ToolCallReply[];
}

/** What an attacker may have learned of somebody else's. */
export interface Foreign {
  ids: readonly string[];
  /** An address inside, where nobody may ever call. */
  inside: string;
}

const valid = (tool: string): Record<string, unknown> => ({ ...validArguments[tool] });
const tools = Object.keys(validArguments);
const outside = Object.keys(givenTools);

/** Every text argument of every tool that leads out of the conversation. */
const textPlaces = outside.flatMap((tool) =>
  Object.entries(valid(tool))
    .filter(([name, value]) => typeof value === 'string' && name !== 'day' && name !== 'area')
    .map(([name]) => ({ tool, name })),
);

const one = (family: string, name: string, args: ToolCallReply['arguments']): Attack => ({
  family,
  calls: [{ name, arguments: args }],
});

export const makeAttacks = (foreign: Foreign): Attack[] => [
  ...unknownTools(),
  ...wrongArguments(),
  ...brokenArguments(),
  ...prototypeKeys(),
  ...hugeArguments(),
  ...hiddenAddresses(foreign),
  ...foreignIds(foreign),
  ...injections(),
  ...floods(),
  ...builtinAbuse(),
];

function unknownTools(): Attack[] {
  const names = [
    ...[
      'delete_everything',
      'show_panel',
      'calendar',
      'http',
      'fetch',
      'exec',
      'eval',
      'shell',
      'sql',
      'run_tool',
      'system',
    ],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__', 'then'],
    ...[
      'Book',
      'BOOK',
      'book ',
      ' book',
      'book\n',
      'book\0',
      'bооk',
      'book;delete_everything',
      'book,search',
      'b\u200book',
    ],
    ...[
      'tools/book',
      '../delete_everything',
      'book.yaml',
      'builtin:end_call',
      'functions.book',
      'parley.tool',
      'null',
      'undefined',
    ],
    ...['x'.repeat(300), '*', '{{book}}', '$(book)', '1', '-'],
  ];
  return names.map((name) => one('unknown tool', name, { sure: true, ...valid('book') }));
}

/** For each argument: left out, and each value that is not of its kind; for each tool: arguments that it does not have. */
function wrongArguments(): Attack[] {
  const wrong: unknown[] = [
    null,
    [],
    {},
    true,
    ['x'],
    { $ne: '' },
    { toString: 'x' },
    Number.POSITIVE_INFINITY,
    -1,
    0.5,
    '',
    'x'.repeat(2_000),
  ];
  const extra = ['admin', 'tenant', 'url', 'headers', 'method', 'timeout', 'idempotencyKey', 'limit', '$ref'];
  return tools.flatMap((tool) => {
    const args = valid(tool);
    const names = Object.keys(args);
    return [
      ...names.flatMap((name) =>
        wrong
          .filter((value) => !isAllowed(tool, value))
          .map((value) => one('wrong argument', tool, raw({ ...args, [name]: value }))),
      ),
      ...extra.map((name) => one('undeclared argument', tool, { ...args, [name]: 'x' })),
    ];
  });
}

/** What the tool would take after all. */
const isAllowed = (tool: string, value: unknown): boolean => tool === 'end_call' && value === '';

/** As a model writes it: JSON has a number that JavaScript reads as infinite. */
const raw = (args: Record<string, unknown>): string =>
  JSON.stringify(args, (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? 'INFINITE' : value)).replaceAll(
    '"INFINITE"',
    '1e999',
  );

function brokenArguments(): Attack[] {
  const texts = [
    '{"name": "Ada", ',
    '[]',
    '"text"',
    '7',
    'true',
    '{}}',
    "{'name': 'Ada'}",
    'name=Ada',
    '<name/>',
    '{{"a":1}}',
  ];
  return outside.flatMap((tool) => texts.map((text) => one('broken arguments', tool, text)));
}

function prototypeKeys(): Attack[] {
  const keys = ['__proto__', 'constructor', 'prototype', '__defineSetter__', 'hasOwnProperty', 'toJSON'];
  const bodies = ['{"admin":true,"isAdmin":true}', '{"prototype":{"admin":true}}', '"x"'];
  return tools.flatMap((tool) =>
    keys.flatMap((key) =>
      bodies.slice(0, key === '__proto__' ? 3 : 1).map((body) => {
        const inner = JSON.stringify(valid(tool)).slice(1);
        return one('prototype key', tool, `{"${key}":${body},${inner}`);
      }),
    ),
  );
}

function hugeArguments(): Attack[] {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  return outside.flatMap((tool) => [
    ...textPlaces
      .filter((place) => place.tool === tool)
      .map(({ name }) => one('huge', tool, { ...valid(tool), [name]: 'x'.repeat(1_000_000) })),
    one('huge', tool, { ...valid(tool), ...many }),
    one('huge', tool, `${JSON.stringify(valid(tool)).slice(0, -1)},"deep":${deep}}`),
  ]);
}

/** Values that try to be more than a value: another host, another path, another query, another header. */
function hiddenAddresses({ inside }: Foreign): Attack[] {
  const host = new URL(inside).host;
  const payloads = [
    ...[inside, `//${host}/`, `\\\\${host}\\`, `@${host}/`, `https:${host}`, `x@${host}`, `.${host}`, `:80@${host}/`],
    ...['..', '.', '../admin', '../../admin', '..\\admin', '/../admin', '..;/admin', '..%2fadmin', '%2e%2e/admin'],
    ...[
      '%2e%2e%2fadmin',
      '%252e%252e%252fadmin',
      '%25252e%25252e/admin',
      '．．／admin',
      '․․/admin',
      '％2e％2e／admin',
      '..%c0%afadmin',
      '。。/admin',
    ],
    ...[
      'a/../../admin',
      './../admin',
      '..//admin',
      '.../...//admin',
      ' .. ',
      '..\t',
      '..#',
      '..?',
      '/admin',
      '//admin',
      'a/b',
    ],
    ...[
      'x?admin=true',
      'x#admin',
      'x&limit=999',
      '&limit=999',
      'x;limit=999',
      'x%26limit=999',
      '?',
      '#',
      '%',
      '%zz',
      '%00',
      'x%3Fadmin=1',
    ],
    ...[
      'x\r\nX-Admin: true',
      'x\nHost: evil',
      'x\r\n\r\nGET /admin HTTP/1.1',
      '%0d%0aX-Admin:%20true',
      'x\u2028X-Admin: 1',
      'x嘊嘍X',
    ],
    ...[
      '{{orderId}}',
      '{{env.TEST_SHOP_TOKEN}}',
      '$(TEST_SHOP_TOKEN)',
      '{env: TEST_SHOP_TOKEN}',
      'file:///etc/passwd',
      'javascript:1',
    ],
    ...[
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'http://0x7f000001/',
      'http://127.1/',
      'localhost',
      'gopher://x',
    ],
  ];
  return textPlaces.flatMap(({ tool, name }) =>
    payloads.map((payload) => one('hidden address', tool, { ...valid(tool), [name]: payload })),
  );
}

function foreignIds({ ids }: Foreign): Attack[] {
  const places = [...textPlaces, { tool: 'collect', name: 'value' }, { tool: 'switch_language', name: 'language' }];
  return places.flatMap(({ tool, name }) =>
    ids.flatMap((id) => [
      one("somebody else's id", tool, { ...valid(tool), [name]: id }),
      one("somebody else's id", tool, { ...valid(tool), tenant_id: id, session: id }),
    ]),
  );
}

function injections(): Attack[] {
  const payloads = [
    ...[
      "'; drop table sessions; --",
      "' or '1'='1",
      "'); select set_config('parley.tenant','','true'); --",
      '$1',
      '\\x00',
    ],
    ...[
      "x' || pg_sleep(5) || '",
      '#{process.exit(1)}',
      '`id`',
      '$(id)',
      '| id',
      '<script>alert(1)</script>',
      'a\0b',
      'a\ud800',
    ],
  ];
  const places = [...textPlaces, { tool: 'collect', name: 'field' }, { tool: 'collect', name: 'value' }];
  return places.flatMap(({ tool, name }) =>
    payloads.map((payload) => one('injection', tool, { ...valid(tool), [name]: payload })),
  );
}

/** More than one call in one answer: the same one again and again, and many side by side. */
function floods(): Attack[] {
  const times = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, i) => item(i));
  return tools
    .filter((tool) => tool !== 'end_call')
    .flatMap((tool) => [
      { family: 'repeated', calls: times(40, () => ({ name: tool, arguments: valid(tool) })) },
      {
        family: 'side by side',
        calls: times(40, (i) => ({ name: tool, arguments: { ...valid(tool), ...distinct(tool, i) } })),
      },
      {
        family: 'behind a wrong one',
        calls: times(40, (i) => ({ name: i % 2 === 0 ? 'delete_everything' : tool, arguments: valid(tool) })),
      },
    ]);
}

function distinct(tool: string, i: number): Record<string, unknown> {
  const place = textPlaces.find((text) => text.tool === tool);
  return place ? { [place.name]: `item ${i}` } : {};
}

function builtinAbuse(): Attack[] {
  const languages = [
    'fr',
    'EN',
    'de ',
    'de-AT',
    'en;de',
    '*',
    '__proto__',
    'constructor',
    '0',
    'English',
    'xx-private',
    'en\0',
  ];
  return [
    ...languages.map((language) => one('unconfigured language', 'switch_language', { language })),
    ...['a', ''].map((to) => one('transfer', 'transfer', { reason: to })),
    one('collect', 'collect', { field: 'x'.repeat(61), value: 'x' }),
    one('collect', 'collect', { field: 'x', value: 'x'.repeat(501) }),
    one('collect', 'collect', [{ field: 'x', value: 'y' }] as never),
    one('end', 'end_call', { reason: 'x'.repeat(201) }),
    one('end', 'end_call', { session: 'all' }),
  ];
}
