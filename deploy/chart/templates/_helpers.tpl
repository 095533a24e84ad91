{{- /* Names, labels, and the pod that the Deployment, the StatefulSet of a trial and the migration have in common. */ -}}
{{- define "earmark.name" -}}
{{- if contains "earmark" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-earmark" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "earmark.selector" -}}
app.kubernetes.io/name: earmark
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
{{- end }}

{{- define "earmark.labels" -}}
app.kubernetes.io/name: earmark
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "earmark.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "earmark.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "earmark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Secrets are files: an environment is read by more programs. `url`: the Secret of DATABASE_URL. */ -}}
{{- define "earmark.env" -}}
- { name: DATA_DIR, value: /var/lib/earmark }
{{- if not .Values.database.embedded }}
- { name: DATABASE_URL_FILE, value: /etc/earmark/database/url }
{{- end }}
{{- if .Values.encryptionKey.secret }}
- { name: ENCRYPTION_KEY_FILE, value: /etc/earmark/encryption/key }
{{- end }}
{{- with .Values.mode }}
- { name: MODE, value: {{ . }} }
{{- end }}
{{- with .Values.publicUrl }}
- { name: PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* Helm reads each number as float64, which prints 1000000 as 1e+06. */}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- range $name, $from := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.secret }}, key: {{ $from.key }} } }
{{- end }}
{{- end }}

{{- define "earmark.mounts" -}}
- { name: data, mountPath: /var/lib/earmark }
- { name: tmp, mountPath: /tmp }
{{- if not .Values.database.embedded }}
- { name: database, mountPath: /etc/earmark/database, readOnly: true }
{{- end }}
{{- if .Values.database.ca.secret }}
- { name: database-ca, mountPath: /etc/earmark/database-ca, readOnly: true }
{{- end }}
{{- if .Values.encryptionKey.secret }}
- { name: encryption, mountPath: /etc/earmark/encryption, readOnly: true }
{{- end }}
{{- if .Values.checkpointClaim }}
- { name: checkpoints, mountPath: /var/lib/earmark-checkpoints }
{{- end }}
{{- end }}

{{- define "earmark.volumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- if not .root.Values.database.embedded }}
- { name: data, emptyDir: { sizeLimit: 1Gi } }
- name: database
  secret: { secretName: {{ .url.secret }}, items: [{ key: {{ .url.key }}, path: url }], defaultMode: 0440 }
{{- end }}
{{- with .root.Values.database.ca }}
{{- if .secret }}
- name: database-ca
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: ca.crt }], defaultMode: 0440 }
{{- end }}
{{- end }}
{{- with .root.Values.encryptionKey }}
{{- if .secret }}
- name: encryption
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: key }], defaultMode: 0440 }
{{- end }}
{{- end }}
{{- if .root.Values.checkpointClaim }}
- { name: checkpoints, persistentVolumeClaim: { claimName: {{ .root.Values.checkpointClaim }} } }
{{- end }}
{{- end }}
