import { conversationNames, toolNames } from '../../../services/core/insight/figure-names.ts';
import type { Queryable } from '../../../services/store/sql.ts';
import { sql } from '../../../services/store/sql.ts';

export interface Sizes {
  sessions: number;
  /** Conversations that the roll-ups are as for. */
  rolledUp: number;
  days: number;
  hours: number;
}

/** Sessions that one statement writes. */
const atOnce = 100_000;

/** A tenant with ten agents of two versions each, and what they did in 90 days; all of it made in SQL. */
export async function fill(admin: Queryable, tenant: string, sizes: Sizes, say: (line: string) => void): Promise<void> {
  await addAgents(admin, tenant);
  await admin.query(sql`drop index session_words_found`);
  for (let from = 1; from <= sizes.sessions; from += atOnce) {
    const to = Math.min(from + atOnce - 1, sizes.sessions);
    await addSessions(admin, tenant, { from, to, of: sizes.sessions });
    await addMessages(admin, tenant, { from, to });
    say(`${to} sessions`);
  }
  await admin.query(sql`create index session_words_found on session_words using gin (words)`);
  await addRollups(admin, tenant, sizes);
  say('roll-ups');
  await admin.query({ text: 'vacuum analyze', values: [] });
}

const addAgents = (admin: Queryable, tenant: string) =>
  admin.query(sql`
    with versions as (
      insert into agent_versions (tenant_id, agent, hash, definition, commit, limits)
      select tenant_id, 'agent-' || n, md5(n || '-' || v) || md5(v || '+' || n), definition, md5('commit' || n || v), limits
      from agent_versions, generate_series(0, 9) n, generate_series(0, 1) v where tenant_id = ${tenant} and agent = 'echo'
      returning agent, hash)
    select count(*) from versions`);

/** Spread over 90 days. One in a hundred failed; nobody called by phone. */
const addSessions = (admin: Queryable, tenant: string, { from, to, of }: { from: number; to: number; of: number }) =>
  admin.query(sql`
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, status, end_reason, interaction_mode, language,
      channel, opened_by, created_at, started_at, ended_at, duration_seconds, billed_seconds, deadline_at, turns, summary, outcome, sentiment,
      finished_at, tool_failed)
    select 's_' || lpad(n::text, 22, '0'), ${tenant}, 'agent-' || n % 10, md5(n % 10 || '-' || n / 10 % 2) || md5(n / 10 % 2 || '+' || n % 10),
      'r_' || n, 'person', 'ended', (array['client_ended', 'agent_ended', 'participant_left', 'idle_timeout'])[n % 4 + 1],
      case when n % 3 = 0 then 'VOICE' else 'TEXT' end, (array['en', 'de', 'fr'])[n / 3 % 3 + 1], case when n % 2 = 0 then 'api' else 'widget' end,
      'session', at, at, at + interval '2 minutes', 120, 118, at, 1, 'They asked about their order and were told when it comes.',
      case when n % 100 = 7 then 'failed' when n % 5 = 0 then 'unresolved' else 'resolved' end,
      case when n % 10 = 3 then 'negative' else 'neutral' end, at + interval '2 minutes', n % 50 = 9
    from generate_series(${from}::integer, ${to}::integer) n,
      lateral (select clock_timestamp() - interval '90 days' * ((${of} - n)::float / ${of})) as t (at)`);

/** Eight of two thousand words in each, one that is in all, and one that is in few. */
const addMessages = (admin: Queryable, tenant: string, { from, to }: { from: number; to: number }) =>
  admin.query(sql`
    with said as (
      insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn)
      select ${tenant}, 's_' || lpad(n::text, 22, '0'), line, case line when 1 then 'USER' else 'ASSISTANT' end, 'host',
        'hello ' || case when n % 50000 = 5 then 'heliotrope ' else '' end || (
          select string_agg('word' || (n * 7919 + line * 104729 + i * 1299709) % 2000, ' ') from generate_series(1, 8) i),
        clock_timestamp(), 1
      from generate_series(${from}::bigint, ${to}::bigint) n, generate_series(1, 2) line
      returning session_id, content)
    insert into session_words (session_id, tenant_id, at, words)
    select s.id, s.tenant_id, s.created_at, to_tsvector('simple', string_agg(said.content, ' '))
    from said join sessions s on s.id = said.session_id group by s.id, s.tenant_id, s.created_at`);

/** A row for each of 240 kinds of conversation, and their sums at every level, by day and by hour. Every place is filled: no row is smaller than a real one may be. */
const addRollups = (admin: Queryable, tenant: string, { rolledUp, days, hours }: Sizes) =>
  admin.query(sql`
    insert into rollups (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool, figures)
    select ${tenant}, s.subject, g.grain, l.level, g.at, l.agent, l.version, l.channel, l.language, l.mode, s.tool, s.figures
    from (
        select 'day' as grain, date_trunc('day', clock_timestamp(), 'UTC') - n * interval '1 day' as at from generate_series(0, ${days - 1}::integer) n
        union all
        select 'hour', date_trunc('hour', clock_timestamp(), 'UTC') - n * interval '1 hour' from generate_series(0, ${hours - 1}::integer) n
      ) g, (
        select coalesce(nullif(concat_ws(' ', case grouping(agent) when 0 then 'agent' end, case grouping(version) when 0 then 'version' end,
            case grouping(channel) when 0 then 'channel' end, case grouping(language) when 0 then 'language' end,
            case grouping(mode) when 0 then 'mode' end), ''), 'all') as level,
          coalesce(agent, '') as agent, coalesce(version, '') as version, coalesce(channel, '') as channel, coalesce(language, '') as language,
          coalesce(mode, '') as mode
        from (select agent, hash as version from agent_versions where tenant_id = ${tenant} and agent like 'agent-%') v,
          unnest(array['api', 'widget']) channel, unnest(array['en', 'de', 'fr']) language, unnest(array['VOICE', 'TEXT']) mode
        group by rollup (agent, version), cube (channel, language, mode)
      ) l, (
        select 'conversation' as subject, '' as tool, ${conversationNames.map((_, place) => Math.round(rolledUp / 10_000) + place)}::bigint[] as figures
        union all select 'tool', 'tool_' || n, ${toolNames.map((_, place) => place + 1)}::bigint[] from generate_series(1, 3) n
      ) s`);
