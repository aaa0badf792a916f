/** What an operator is woken for. Each alert has a page in docs/runbooks. */
export interface Alert {
  alert: string;
  /** PromQL over the tenant's own series. */
  expr: string;
  forMinutes: number;
  severity: 'page' | 'ticket';
  summary: string;
}

/** `namespace` is the tenant's. */
export const alertsFor = (namespace: string, hasPhone = false): Alert[] => [
  ...alertsOfEveryTenant(namespace),
  ...(hasPhone ? alertsOfPhone(`namespace="${namespace}-phone"`) : []),
];

const alertsOfPhone = (bridges: string): Alert[] => [
  {
    alert: 'ParleyPhoneAway',
    expr: `max(kube_deployment_status_replicas_ready{${bridges},deployment="phone"}) < 1`,
    forMinutes: 2,
    severity: 'page',
    summary: 'No SIP bridge takes calls.',
  },
  {
    alert: 'ParleyCallsFail',
    expr: `sum(increase(livekit_sip_calls_terminated{${bridges},result="server_error"}[15m])) > 3`,
    forMinutes: 5,
    severity: 'page',
    summary: 'The SIP bridge refuses or ends calls by faults of its own side.',
  },
];

const alertsOfEveryTenant = (namespace: string): Alert[] => {
  const own = `namespace="${namespace}"`;
  return [
    {
      alert: 'ParleyRefusesConversations',
      expr: `sum(increase(parley_sessions_requested_total{${own},result="no_capacity"}[5m])) > 0`,
      forMinutes: 5,
      severity: 'page',
      summary: 'Conversations are refused because no agent host has room.',
    },
    {
      // With `coldStart: allowed` nothing is refused meanwhile, and no host is there to say that it is missing.
      alert: 'ParleyNoAgentCame',
      expr: `sum(increase(parley_reaped_sessions_total{${own},reason="agent_unavailable"}[10m])) > 0`,
      forMinutes: 1,
      severity: 'page',
      summary: 'Conversations ended because no agent came, or came back, in time.',
    },
    {
      alert: 'ParleyApiFails',
      expr: `sum(rate(parley_http_request_seconds_count{${own},status=~"5.."}[5m])) / sum(rate(parley_http_request_seconds_count{${own}}[5m])) > 0.01`,
      forMinutes: 5,
      severity: 'page',
      summary: 'More than one request in a hundred is answered with 5xx.',
    },
    {
      alert: 'ParleyAgentHostsMissing',
      expr: `sum(parley_agent_capacity{${own}}) < sum(parley_agent_live{${own}} + parley_agent_starting{${own}}) * 1.1`,
      forMinutes: 10,
      severity: 'page',
      summary: 'Agent hosts carry nearly all that they can.',
    },
    {
      alert: 'ParleyJobsFail',
      expr: `sum by (task) (increase(parley_jobs_total{${own},result="failed"}[15m])) > 5`,
      forMinutes: 5,
      severity: 'ticket',
      summary: 'Jobs fail again and again: conversations are not finished or not delivered.',
    },
    {
      alert: 'ParleyRevisionRefused',
      expr: `max(parley_agents_revision_refused{${own}}) > 0`,
      forMinutes: 10,
      severity: 'ticket',
      summary: 'The agents in the source have faults; the last good revision is live.',
    },
    {
      alert: 'ParleyAgentsUnreadable',
      expr: `max(parley_agents_source_unreadable{${own}}) > 0`,
      forMinutes: 15,
      severity: 'ticket',
      summary: 'The repository of the agents cannot be read; the last good revision is live.',
    },
    {
      alert: 'ParleyCountsAlone',
      expr: `max(parley_rate_limit_counting_alone{${own}}) > 0`,
      forMinutes: 10,
      severity: 'ticket',
      summary: 'Replicas count requests each for itself, because Redis does not answer.',
    },
    {
      alert: 'ParleyWaitsForDatabase',
      expr: `sum by (pod) (parley_database_connections{${own},state="awaited"}) > 10`,
      forMinutes: 5,
      severity: 'page',
      summary: 'Callers wait for a connection to the database.',
    },
    {
      alert: 'ParleyBackupMissing',
      expr: `time() - max(kube_cronjob_status_last_successful_time{${own},cronjob="database-backups"}) > 36 * 3600`,
      forMinutes: 10,
      severity: 'ticket',
      summary: 'The last backup of the database is older than a day and a half.',
    },
  ];
};

const runbooks = 'docs/runbooks';

export const ruleGroup = (namespace: string, hasPhone = false) => ({
  name: 'parley',
  rules: alertsFor(namespace, hasPhone).map(({ alert, expr, forMinutes, severity, summary }) => ({
    alert,
    expr,
    for: `${forMinutes}m`,
    labels: { severity },
    annotations: { summary, runbook: `${runbooks}/${alert}.md` },
  })),
});
