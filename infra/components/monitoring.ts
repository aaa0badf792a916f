import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ruleGroup } from '../monitoring/alerts.ts';
import { dashboardFor } from '../monitoring/dashboard.ts';
import type { Scope } from '../plan/names.ts';
import type { Tenant } from '../tenant.ts';

const apiVersion = 'monitoring.coreos.com/v1';

export interface MonitoringArgs {
  scope: Scope;
  slug: string;
  monitoring: Tenant['monitoring'];
  hasPhone: boolean;
}

/** What the cluster's Prometheus and Grafana take from us: whom to ask, what to alert on, what to show. */
export class Monitoring extends pulumi.ComponentResource {
  constructor(
    name: string,
    { scope, slug, monitoring, hasPhone }: MonitoringArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:kubernetes:Monitoring', name, {}, opts);
    const { namespace, roomsNamespace, phoneNamespace, labels } = scope;
    const custom = (what: string, kind: string, inNamespace: string, spec: object) =>
      new k8s.apiextensions.CustomResource(
        `${name}-${what}`,
        { apiVersion, kind, metadata: { name: what, namespace: inNamespace, labels: { ...labels } }, spec },
        { parent: this },
      );
    if (monitoring.prometheusOperator) {
      const services = {
        matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: ['api', 'worker', 'agent'] }],
      };
      custom('services', 'PodMonitor', namespace, scrape(services, 'internal'));
      custom(
        'rooms',
        'PodMonitor',
        roomsNamespace,
        scrape({ matchLabels: { 'app.kubernetes.io/name': 'rooms' } }, 'metrics'),
      );
      if (hasPhone) {
        const bridges = { matchLabels: { 'app.kubernetes.io/name': 'phone' } };
        custom('phone', 'PodMonitor', phoneNamespace, scrape(bridges, 'metrics'));
      }
      custom('alerts', 'PrometheusRule', namespace, { groups: [ruleGroup(namespace, hasPhone)] });
    }
    if (monitoring.grafanaDashboards) {
      new k8s.core.v1.ConfigMap(
        `${name}-dashboard`,
        {
          metadata: { name: 'dashboard', namespace, labels: { ...labels, grafana_dashboard: '1' } },
          data: { [`parley-${slug}.json`]: `${JSON.stringify(dashboardFor(slug, namespace, hasPhone), null, 2)}\n` },
        },
        { parent: this },
      );
    }
    this.registerOutputs({});
  }
}

const scrape = (selector: object, port: string) => ({
  selector,
  podMetricsEndpoints: [{ port, path: '/metrics', interval: '15s' }],
});
