{{/* Every object is named after the release, so that the names stay short for the usual release "sojourn". */}}
{{- define "sojourn.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "sojourn.selector" -}}
app.kubernetes.io/name: sojourn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{/* The version is in the labels and never in a selector: a selector cannot change. Ours win over commonLabels: Services select by them. */}}
{{- define "sojourn.labels" -}}
{{- $own := include "sojourn.selector" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version) -}}
{{ toYaml (merge $own (.Values.commonLabels | default dict)) }}
{{- end }}

{{- define "sojourn.monitoringLabels" -}}
{{ toYaml (merge (include "sojourn.labels" . | fromYaml) (.Values.monitoring.labels | default dict)) }}
{{- end }}

{{- define "sojourn.monitoredNamespaces" -}}
{{- with .Values.watchNamespaces -}}
matchNames: {{- toYaml . | nindent 2 }}
{{- else -}}
any: true
{{- end }}
{{- end }}

{{/* sojourn.milliseconds "1m30s" */}}
{{- define "sojourn.milliseconds" -}}
{{- $sum := 0 }}
{{- range regexFindAll "[0-9]+(ms|s|m|h)" . -1 }}
{{- $unit := regexFind "[a-z]+" . }}
{{- $sum = add $sum (mul (trimSuffix $unit . | atoi) (get (dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000) $unit)) }}
{{- end }}
{{- $sum }}
{{- end }}

{{/* sojourn.image (list $ .Values.image.operator) */}}
{{- define "sojourn.image" -}}
{{- $root := index . 0 }}{{ $image := index . 1 -}}
{{ with $root.Values.image.registry }}{{ . }}/{{ end }}{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end }}

{{/* "true" where the cluster says as whom pods run. */}}
{{- define "sojourn.assignedUsers" -}}
{{- if eq (toString .Values.assignedUsers) "auto" -}}
{{ .Capabilities.APIVersions.Has "security.openshift.io/v1" }}
{{- else -}}
{{ .Values.assignedUsers }}
{{- end }}
{{- end }}

{{/* What the operator may do where it serves SessionClusters: everywhere by a ClusterRole, or by a Role in each of watchNamespaces. */}}
{{- define "sojourn.rules" -}}
- apiGroups: [sojourn.dev]
  resources: [sessionclusters]
  verbs: [get, list, watch, update, patch]
- apiGroups: [sojourn.dev]
  resources: [sessionclusters/status]
  verbs: [get, update, patch]
- apiGroups: [sojourn.dev]
  resources: [sessionclusters/finalizers]
  verbs: [update]
# The users' workloads (a label and an annotation in the pod template), the store and the proxy.
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, update, patch, delete]
# To count injected pods; and nobody may hand out (to the edge) what he has not himself.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
# For a larger spec.store.managed.storage.size.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, patch]
# For a managed store whose template has changed, and spec.injection.watchdog: Evict.
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [""]
  resources: [services, configmaps, secrets, serviceaccounts]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies, ingresses]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch, update, get]
{{- end }}

{{/* sojourn.bind (list $ "Role" "name" "namespace"): the operator's account to a role; no namespace: everywhere. */}}
{{- define "sojourn.bind" -}}
{{- $root := index . 0 }}{{ $kind := index . 1 }}{{ $name := index . 2 }}{{ $namespace := index . 3 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ $name }}
  {{- with $namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  labels: {{- include "sojourn.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "sojourn.name" $root }}
    namespace: {{ $root.Release.Namespace | quote }}
{{- end }}

{{/* Two names: a Secret that one has made is of another type than the other would make it. */}}
{{- define "sojourn.webhookSecret" -}}
{{ include "sojourn.name" . }}-webhook-{{ if .Values.webhook.certManager.enabled }}tls{{ else }}cert{{ end }}
{{- end }}
