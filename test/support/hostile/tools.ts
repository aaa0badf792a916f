/** The tools of an agent that a hostile model has in its hands, and one that it has not. */

type Values = Record<string, unknown>;

interface GivenTool {
  yaml: string;
  /** Arguments that are right. */
  valid: Values;
}

const parameters = (properties: string, required: string) => `
parameters:
  type: object
  required: [${required}]
  properties: ${properties}`;

const shop = (method: string, path: string) => `
http:
  method: ${method}
  url: { env: TEST_SHOP_URL, path: "${path}" }
  headers: { Authorization: { env: TEST_SHOP_TOKEN } }`;

export const givenTools: Readonly<Record<string, GivenTool>> = {
  look_up: {
    yaml: `
name: look_up
description: Looks up an order.${parameters('{ orderId: { type: string, minLength: 1, maxLength: 400 } }', 'orderId')}${shop('GET', '/orders/{{orderId}}')}`,
    valid: { orderId: 'A-1' },
  },
  search: {
    yaml: `
name: search
description: Searches the catalogue.${parameters('{ text: { type: string, minLength: 1, maxLength: 400 }, page: { type: integer, minimum: 1, maximum: 9 } }', 'text')}${shop('GET', '/search?limit=5&text={{text}}')}`,
    valid: { text: 'lamp', page: 1 },
  },
  book: {
    yaml: `
name: book
description: Books a table.${parameters('{ name: { type: string, minLength: 1, maxLength: 400 }, guests: { type: integer, minimum: 1, maximum: 12 }, day: { type: string, format: date }, area: { enum: [inside, garden] }, contact: { type: object, required: [phone], properties: { phone: { type: string, maxLength: 40 } } } }', 'name, guests, day')}${shop('POST', '/bookings')}`,
    valid: { name: 'Ada', guests: 2, day: '2026-11-21', area: 'inside', contact: { phone: '1' } },
  },
  show_map: {
    yaml: `
name: show_map
description: Shows a place on the person's page.${parameters('{ place: { type: string, minLength: 1, maxLength: 400 } }', 'place')}
client: true`,
    valid: { place: 'Köln' },
  },
};

/** In the folder of tools, as other agents have it; this one does not. */
export const foreignTool = `
name: delete_everything
description: Deletes everything.${parameters('{ sure: { type: boolean } }', 'sure')}
idempotent: true${shop('DELETE', '/everything')}`;

export const builtins: Readonly<Record<string, Values>> = {
  switch_language: { language: 'de' },
  collect: { field: 'name', value: 'Ada' },
  end_call: { reason: 'over' },
};

export const validArguments: Readonly<Record<string, Values>> = {
  ...Object.fromEntries(Object.entries(givenTools).map(([name, { valid }]) => [name, valid])),
  ...builtins,
};
