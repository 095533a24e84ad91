{{- /* The template of a pod that serves. */ -}}
{{- define "earmark.pod" -}}
metadata:
  labels:
    {{- include "earmark.labels" . | nindent 4 }}
    app.kubernetes.io/component: service
  {{- with .Values.podAnnotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "earmark.podSecurity" . | nindent 2 }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  terminationGracePeriodSeconds: {{ add .Values.endpointSeconds .Values.drainSeconds 10 }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: { matchLabels: {{ include "earmark.selector" . | fromYaml | toJson }} }
  containers:
    - name: earmark
      image: {{ include "earmark.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve{{ if not .Values.database.embedded }}, --no-migrate{{ end }}]
      env:
        - { name: HOST, value: 0.0.0.0 }
        - { name: PORT, value: '8080' }
        - { name: METRICS_HOST, value: 0.0.0.0 }
        - { name: METRICS_PORT, value: '9464' }
        - { name: DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
        {{- if .Values.checkpointClaim }}
        - { name: CHECKPOINT_DIR, value: /var/lib/earmark-checkpoints }
        {{- end }}
        {{- include "earmark.env" . | nindent 8 }}
      ports:
        - { name: http, containerPort: 8080 }
        - { name: metrics, containerPort: 9464 }
      # A process that waits for its database must not be replaced, so it lives although it is not ready.
      startupProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 2
        failureThreshold: {{ div .Values.startupSeconds 2 }}
      livenessProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: http }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      # The endpoints of a service forget a pod some moments after its end has begun.
      lifecycle: { preStop: { sleep: { seconds: {{ .Values.endpointSeconds }} } } }
      resources: {{ toYaml .Values.resources | nindent 8 }}
      securityContext: {{ include "earmark.containerSecurity" . | nindent 8 }}
      volumeMounts: {{ include "earmark.mounts" . | nindent 8 }}
  volumes: {{ include "earmark.volumes" (dict "root" . "url" .Values.database.url) | nindent 4 }}
{{- end }}
