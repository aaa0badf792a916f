/** A statement with its values apart, so that nothing is ever spliced into SQL text. */
export interface Query {
  text: string;
  values: unknown[];
  /** Given, the statement is prepared once per connection under this name. */
  name?: string;
}

/** `sql\`select … ${value}\`` → a parametrised query. */
export const sql = (strings: TemplateStringsArray, ...values: unknown[]): Query => ({
  text: strings.reduce((text, part, index) => `${text}$${index}${part}`),
  values,
});

/** As `sql`, prepared under a name: for the statements of the hot path, whose planning would cost as much as running them. */
export const prepared =
  (name: string) =>
  (strings: TemplateStringsArray, ...values: unknown[]): Query => ({ ...sql(strings, ...values), name });

/** Anything that runs a query: the pool or an open transaction. */
export interface Queryable {
  query<Row>(query: Query): Promise<Row[]>;
}

/** The only row of a result, or undefined when there is none. */
export async function first<Row>(q: Queryable, query: Query): Promise<Row | undefined> {
  const rows = await q.query<Row>(query);
  return rows[0];
}

/** The only row of a result. Throws when there is none: the caller knows that it exists. */
export async function one<Row>(q: Queryable, query: Query): Promise<Row> {
  const row = await first<Row>(q, query);
  if (row === undefined) throw new Error('a row was expected and none came back');
  return row;
}
