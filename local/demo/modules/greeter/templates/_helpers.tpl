{{- define "greeter.labels" -}}
app.kubernetes.io/name: greeter
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
