/**
 * What the charts that a foundation installs take as values. Neither chart brings a schema, and Helm says nothing of a value that a chart does not
 * know: it installs the chart without it. Written down from each chart's values.yaml (kedacore/charts at keda 2.18.0,
 * kubernetes/autoscaler at cluster-autoscaler 9.55.1): every name of the first level, and below it what we set.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface KnownChart {
  /** Another one may take other values: read its values.yaml, and write down what changed. */
  version: string;
  values: object;
}

const anything = {};
const text = { type: 'string', minLength: 1 };

const closed = (properties: Record<string, object>, required: readonly string[] = []) => ({
  ...{ type: 'object', additionalProperties: false, properties, required },
});

const named = (names: string) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, anything]),
  );

export const knownCharts: Readonly<Record<string, KnownChart>> = {
  keda: {
    version: '2.18.0',
    values: closed({
      ...named(`additionalAnnotations additionalLabels affinity asciiArt certificates clusterDomain clusterName crds customManagedBy
        enableServiceLinks env extraArgs extraObjects global grpcTLSCertsSecret hashiCorpVaultTLS hostAliases http image imagePullSecrets
        logging metricsServer networkPolicy nodeSelector opentelemetry operator permissions podAnnotations podDisruptionBudget
        podIdentity podLabels podSecurityContext priorityClassName profiling prometheus rbac securityContext service serviceAccount
        tolerations topologySpreadConstraints upgradeStrategy volumes watchNamespace webhooks`),
      resources: closed(named('operator metricServer webhooks')),
    }),
  },
  'cluster-autoscaler': {
    version: '9.55.1',
    values: closed(
      {
        ...named(`additionalLabels affinity autoscalingGroups autoscalingGroupsnamePrefix awsAccessKeyID awsSecretAccessKey
          azureClientID azureClientSecret azureEnableForceDelete azureResourceGroup azureSubscriptionID azureTenantID
          azureUseManagedIdentityExtension azureUserAssignedIdentityID azureUseWorkloadIdentityExtension azureVMType civoApiKey civoApiUrl
          civoClusterID civoRegion cloudConfigPath clusterAPICloudConfigPath clusterAPIConfigMapsNamespace clusterAPIKubeconfigSecret
          clusterAPIMode clusterAPIWorkloadKubeconfigPath containerSecurityContext customArgs deployment dnsConfig dnsPolicy
          envFromConfigMap envFromSecret expanderPriorities extraArgs extraEnv extraEnvConfigMaps extraEnvSecrets extraObjects
          extraVolumeMounts extraVolumeSecrets extraVolumes fullnameOverride hostNetwork initContainers kubeTargetVersionOverride
          kwokConfigMapName magnumCABundlePath magnumClusterName nameOverride nodeSelector podAnnotations podDisruptionBudget podLabels
          priorityClassName priorityConfigMapAnnotations prometheusRule replicaCount resources revisionHistoryLimit
          secretKeyRefNameOverride securityContext service serviceMonitor tolerations topologySpreadConstraints updateStrategy vpa`),
        cloudProvider: { const: 'aws' },
        // Without the name there is no Deployment at all, and without the region no call to AWS.
        autoDiscovery: closed({ ...named('namespace tags roles labels'), clusterName: text }, ['clusterName']),
        awsRegion: text,
        image: closed({ ...named('repository pullPolicy pullSecrets'), tag: text }),
        rbac: closed({
          ...named('additionalRules annotations clusterScoped create pspEnabled'),
          serviceAccount: closed({ ...named('annotations automountServiceAccountToken create'), name: text }),
        }),
      },
      ['autoDiscovery', 'awsRegion'],
    ),
  },
};

const ajv = new Ajv2020({ allErrors: true, strict: true });
const validators = new Map<string, ValidateFunction>();

/** What its chart would not take of a release's inputs, or take without a word and do nothing with. */
export function chartFaults(inputs: Readonly<Record<string, unknown>>): string[] {
  const missing = ['chart', 'version', 'namespace'].filter((name) => inputs[name] === undefined);
  const chart = String(inputs.chart);
  const known = knownCharts[chart];
  if (missing.length > 0) return missing.map((name) => `${name} is missing`);
  if (!known) return [`nobody has written down what the chart ${chart} takes`];
  if (inputs.version !== known.version)
    return [`what ${chart} takes is written down for ${known.version}, and this is ${String(inputs.version)}`];
  const validate = validators.get(chart) ?? ajv.compile(known.values);
  validators.set(chart, validate);
  if (validate(inputs.values ?? {})) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) => `values${instancePath} ${message} (${JSON.stringify(params)})`,
  );
}
