{{/* Every object is named after the release, so that the names stay short for the usual release "sojourn". */}}
{{- define "sojourn.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "sojourn.selector" -}}
app.kubernetes.io/name: sojourn
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{/* The version is in the labels and never in a selector: a selector cannot change. */}}
{{- define "sojourn.labels" -}}
{{ include "sojourn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* sojourn.image (list $ .Values.image.operator) */}}
{{- define "sojourn.image" -}}
{{- $root := index . 0 }}{{ $image := index . 1 -}}
{{ with $root.Values.image.registry }}{{ . }}/{{ end }}{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end }}
