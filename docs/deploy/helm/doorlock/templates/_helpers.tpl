{{- define "doorlock.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* At most 55 characters, so that names with a suffix have at most 63. */}}
{{- define "doorlock.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 55 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 55 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 55 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "doorlock.selectorLabels" -}}
app.kubernetes.io/name: {{ include "doorlock.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The Pods that answer requests, and not the one that migrates. */}}
{{- define "doorlock.serverSelectorLabels" -}}
{{ include "doorlock.selectorLabels" . }}
app.kubernetes.io/component: server
{{- end }}

{{- define "doorlock.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "doorlock.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "doorlock.image" -}}
{{- $repository := required "image.repository must be set to the image that you built from doorlock's Dockerfile" .Values.image.repository }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "doorlock.port" -}}
{{- .Values.config.PORT | default 3000 | int }}
{{- end }}

{{- define "doorlock.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "doorlock.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* "yes" if a setting has a value, or may have one in a Secret that the chart cannot read. Takes [context, name]. */}}
{{- define "doorlock.isSet" -}}
{{- $values := (index . 0).Values }}
{{- $name := index . 1 }}
{{- $found := or (get $values.config $name) (get $values.secret $name) }}
{{- range $values.extraEnv }}
{{- if eq .name $name }}{{- $found = true }}{{- end }}
{{- end }}
{{- if or $found (and $values.existingSecret (include "doorlock.isSecret" $name)) }}yes{{ end }}
{{- end }}

{{/* "yes" for a setting that belongs into a Secret. */}}
{{- define "doorlock.isSecret" -}}
{{- $names := list "ADMIN_PASSWORD" "CAPTCHA_JWT_SECRET" "CLICKHOUSE_URL" "DATABASE_LISTEN_URL" "DATABASE_READ_URL" "DATABASE_URL" "METRICS_TOKEN" "REDIS_URL" "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" "SECRET_KEY" "SECRET_KEY_PREVIOUS" }}
{{- if has . $names }}yes{{ end }}
{{- end }}

{{/* "yes" if the Pods only forward calls: they need no secret key and store no files. */}}
{{- define "doorlock.isGateway" -}}
{{- if eq (toString .Values.config.ROLE) "gateway" }}yes{{ end }}
{{- end }}

{{/* Stops with a sentence if a value is missing without which doorlock would not start, or would not be safe. */}}
{{- define "doorlock.check" -}}
{{- if not (include "doorlock.isSet" (list . "BASE_URL")) }}
{{- fail "config.BASE_URL must be set to the public address, such as https://doorlock.example.com" }}
{{- end }}
{{- range ternary (list "DATABASE_URL") (list "SECRET_KEY" "DATABASE_URL") (eq (include "doorlock.isGateway" .) "yes") }}
{{- if not (include "doorlock.isSet" (list $ .)) }}
{{- fail (printf "secret.%s must be set, or existingSecret" .) }}
{{- end }}
{{- end }}
{{- if and (or (gt (int .Values.replicaCount) 1) .Values.autoscaling.enabled) (not (include "doorlock.isSet" (list . "REDIS_URL"))) }}
{{- fail "secret.REDIS_URL must be set for more than one replica: plan limits are counted there" }}
{{- end }}
{{- if not (or (include "doorlock.isGateway" .) (include "doorlock.isSet" (list . "S3_BUCKET")) .Values.persistence.existingClaim) }}
{{- fail "config.S3_BUCKET or persistence.existingClaim must be set: without either, uploaded files are lost with their Pod" }}
{{- end }}
{{- if and .Values.ingress.enabled (not (include "doorlock.isSet" (list . "TRUSTED_PROXIES"))) }}
{{- fail "config.TRUSTED_PROXIES must be set to the addresses of the ingress controller: without it, all clients share its limits, and /metrics is open to all" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not (include "doorlock.isSet" (list . "METRICS_TOKEN"))) }}
{{- fail "secret.METRICS_TOKEN must be set for serviceMonitor" }}
{{- end }}
{{- end }}

{{/* The data of the ConfigMap: text as it is, numbers and booleans as JSON writes them (1000000, not 1e+06). */}}
{{- define "doorlock.configData" -}}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- end }}

{{- define "doorlock.secretData" -}}
{{- range $name, $value := .Values.secret }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Everything of a Pod that the server and the migration have in common. Takes [context, suffix of the names of its settings]. */}}
{{- define "doorlock.environment" -}}
{{- $context := index . 0 }}
{{- $name := printf "%s%s" (include "doorlock.fullname" $context) (index . 1) }}
envFrom:
  - configMapRef:
      name: {{ $name }}
  - secretRef:
      name: {{ default $name $context.Values.existingSecret }}
env:
  - name: DATA_DIR
    value: /data
  {{- with $context.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "doorlock.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  # The user `bun` of the image.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "doorlock.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "doorlock.scheduling" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
