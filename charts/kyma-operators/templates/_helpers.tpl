{{- define "kyma-operators.labels" -}}
app.kubernetes.io/name: kyma-operator
app.kubernetes.io/part-of: kyma-operators
{{- end }}
