/** The tenant's dashboard, as Grafana's JSON: what customers notice first, then what carries it. */

interface Panel {
  title: string;
  unit: string;
  queries: { expr: string; legend: string }[];
}

const panelsFor = (own: string): Panel[] => [
  {
    title: 'Conversations',
    unit: 'short',
    queries: [
      { expr: `sum(parley_agent_live{${own}})`, legend: 'live' },
      { expr: `sum(parley_agent_warm{${own}})`, legend: 'rooms kept ready' },
      { expr: `sum(parley_agent_capacity{${own}})`, legend: 'capacity' },
    ],
  },
  {
    title: 'Sessions asked for',
    unit: 'reqps',
    queries: [{ expr: `sum by (result) (rate(parley_sessions_requested_total{${own}}[5m]))`, legend: '{{result}}' }],
  },
  {
    title: 'Requests',
    unit: 'reqps',
    queries: [{ expr: `sum by (status) (rate(parley_http_request_seconds_count{${own}}[5m]))`, legend: '{{status}}' }],
  },
  {
    title: 'Request time, 99th percentile',
    unit: 's',
    queries: [
      {
        expr: `histogram_quantile(0.99, sum by (le, route) (rate(parley_http_request_seconds_bucket{${own}}[5m])))`,
        legend: '{{route}}',
      },
    ],
  },
  {
    title: 'Sessions ended by the worker',
    unit: 'short',
    queries: [{ expr: `sum by (reason) (increase(parley_reaped_sessions_total{${own}}[1h]))`, legend: '{{reason}}' }],
  },
  {
    title: 'Webhooks',
    unit: 'short',
    queries: [{ expr: `sum by (result) (increase(parley_webhook_attempts_total{${own}}[1h]))`, legend: '{{result}}' }],
  },
  {
    title: 'Jobs',
    unit: 'short',
    queries: [
      { expr: `sum by (task, result) (increase(parley_jobs_total{${own}}[1h]))`, legend: '{{task}} {{result}}' },
    ],
  },
  {
    title: 'Database connections',
    unit: 'short',
    queries: [{ expr: `sum by (state) (parley_database_connections{${own}})`, legend: '{{state}}' }],
  },
  {
    title: 'Event loop delay, 99th percentile',
    unit: 's',
    queries: [{ expr: `max by (pod) (nodejs_eventloop_lag_p99_seconds{${own}})`, legend: '{{pod}}' }],
  },
  {
    title: 'Room servers',
    unit: 'short',
    queries: [
      { expr: `sum(livekit_room_total{${own.replace(/"$/, '-rooms"')}})`, legend: 'rooms' },
      { expr: `sum(livekit_participant_total{${own.replace(/"$/, '-rooms"')}})`, legend: 'participants' },
    ],
  },
];

const panelsOfPhone = (namespace: string): Panel[] => [
  {
    title: 'Calls',
    unit: 'short',
    queries: [{ expr: `sum by (dir) (livekit_sip_calls_active{namespace="${namespace}-phone"})`, legend: '{{dir}}' }],
  },
  {
    title: 'Calls that the bridge ended or refused',
    unit: 'short',
    queries: [
      {
        expr: `sum by (result, reason) (increase(livekit_sip_calls_terminated{namespace="${namespace}-phone"}[1h]))`,
        legend: '{{result}} {{reason}}',
      },
    ],
  },
];

const [width, height, columns] = [12, 8, 2];

export const dashboardFor = (slug: string, namespace: string, hasPhone = false) => ({
  uid: `parley-${slug}`.slice(0, 40),
  title: `Parley · ${slug}`,
  tags: ['parley', slug],
  timezone: 'browser',
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  panels: [...panelsFor(`namespace="${namespace}"`), ...(hasPhone ? panelsOfPhone(namespace) : [])].map(
    ({ title, unit, queries }, index) => ({
      id: index + 1,
      title,
      type: 'timeseries',
      gridPos: { w: width, h: height, x: (index % columns) * width, y: Math.floor(index / columns) * height },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(({ expr, legend }, query) => ({
        refId: String.fromCharCode(65 + query),
        expr,
        legendFormat: legend,
      })),
    }),
  ),
});
