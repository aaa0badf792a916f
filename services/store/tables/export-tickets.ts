import { first, type Queryable, sql } from '../sql.ts';

export type ExportFormat = 'csv' | 'jsonl';

export interface ExportTicketRow {
  person_id: string;
  sign_in_id: string;
  format: ExportFormat;
  filters: Record<string, unknown>;
}

export const insertExportTicket = (
  q: Queryable,
  tenant: string,
  { hash, seconds, ...ticket }: ExportTicketRow & { hash: Buffer; seconds: number },
) =>
  q.query(sql`
    insert into export_tickets (hash, tenant_id, person_id, sign_in_id, format, filters, expires_at)
    values (${hash}, ${tenant}, ${ticket.person_id}, ${ticket.sign_in_id}, ${ticket.format}, ${JSON.stringify(ticket.filters)},
      clock_timestamp() + ${seconds} * interval '1 second')`);

/** The ticket, which is used up with this; undefined when it was before, has expired, or is none. */
export const takeExportTicket = async (q: Queryable, hash: Buffer, format: ExportFormat) => {
  const row = await first<ExportTicketRow & { is_open: boolean }>(
    q,
    sql`
    delete from export_tickets where hash = ${hash} and format = ${format}
    returning person_id, sign_in_id, format, filters, expires_at > clock_timestamp() as is_open`,
  );
  return row?.is_open ? row : undefined;
};
