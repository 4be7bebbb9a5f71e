/**
 * Fields that the API server takes at each level of a training manifest. Sources: Kubernetes core v1 and batch v1; jobset.x-k8s.io/v1alpha2;
 * trainer.kubeflow.org/v1alpha1; kubeflow.org/v1 PyTorchJob, with the fields that its first operator had beside runPolicy.
 */
export interface Level {
  readonly fields: ReadonlySet<string>;
  /** Levels behind some of them; `*` behind any name, and behind items of a list. */
  readonly below: Readonly<Record<string, Level>>;
}

const level = (fields: string, below: Readonly<Record<string, Level>> = {}): Level => ({
  fields: new Set(fields.trim().split(/\s+/)),
  below,
});

const container =
  level(`args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy
  resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath
  terminationMessagePolicy tty volumeDevices volumeMounts workingDir`);

const pod = level(
  `activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks
  ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets
  initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims
  resources restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup securityContext serviceAccount
  serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations
  topologySpreadConstraints volumes`,
  { containers: container, initContainers: container },
);

const template = level("metadata spec", { spec: pod });

const job = level(
  `activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions managedBy manualSelector maxFailedIndexes
  parallelism podFailurePolicy podReplacementPolicy selector successPolicy suspend template ttlSecondsAfterFinished`,
  { template },
);

const jobSet = level(
  `coordinator failurePolicy managedBy network replicatedJobs startupPolicy successPolicy suspend ttlSecondsAfterFinished
  volumeClaimPolicies`,
  {
    replicatedJobs: level("dependsOn groupName name replicas template", {
      template: level("metadata spec", { spec: job }),
    }),
  },
);

const replica = level("replicas restartPolicy template", { template });

const policy =
  "activeDeadlineSeconds backoffLimit cleanPodPolicy managedBy schedulingPolicy suspend ttlSecondsAfterFinished";

const pytorchJob = level(`elasticPolicy nprocPerNode pytorchReplicaSpecs runPolicy ${policy}`, {
  elasticPolicy: level(
    "maxReplicas maxRestarts metrics minReplicas nProcPerNode rdzvBackend rdzvConf rdzvHost rdzvId rdzvPort standalone",
  ),
  runPolicy: level(policy),
  pytorchReplicaSpecs: { fields: new Set(), below: { "*": replica } },
});

const trainJob = level(
  `activeDeadlineSeconds annotations initializer labels managedBy podSpecOverrides podTemplateOverrides runtimePatches
  runtimeRef suspend trainer`,
  {
    initializer: level("dataset model"),
    runtimeRef: level("apiGroup kind name"),
    trainer: level("args command env image numNodes numProcPerNode resourcesPerNode"),
  },
);

/** What stands under `spec`, by the kind of the manifest and how its group begins. */
export const manifestSpecs: readonly {
  readonly kind: string;
  readonly group: RegExp;
  readonly spec: Level;
}[] = [
  { kind: "PyTorchJob", group: /^kubeflow\.org\/v1$/, spec: pytorchJob },
  { kind: "TrainJob", group: /^trainer\.kubeflow\.org\/v1alpha1$/, spec: trainJob },
  { kind: "JobSet", group: /^jobset\.x-k8s\.io\/v1alpha2$/, spec: jobSet },
  { kind: "Job", group: /^batch\/v1$/, spec: job },
  { kind: "Pod", group: /^v1$/, spec: pod },
];
