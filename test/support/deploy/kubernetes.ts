/** Checks manifests against the schemas of Kubernetes. */
import { validate as deployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment"
import { validate as autoscaler } from "kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler"
import { validate as job } from "kubernetes-models/_schemas/IoK8sApiBatchV1Job"
import { validate as configMap } from "kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap"
import { validate as secret } from "kubernetes-models/_schemas/IoK8sApiCoreV1Secret"
import { validate as service } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service"
import { validate as serviceAccount } from "kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount"
import { validate as ingress } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress"
import { validate as networkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy"
import { validate as disruptionBudget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget"
import type { Manifest } from "./chart.ts"

type Validate = ((data: unknown) => boolean) & { readonly errors?: unknown }

const validators: Readonly<Record<string, Validate>> = {
  "apps/v1 Deployment": deployment,
  "autoscaling/v2 HorizontalPodAutoscaler": autoscaler,
  "batch/v1 Job": job,
  "networking.k8s.io/v1 Ingress": ingress,
  "networking.k8s.io/v1 NetworkPolicy": networkPolicy,
  "policy/v1 PodDisruptionBudget": disruptionBudget,
  "v1 ConfigMap": configMap,
  "v1 Secret": secret,
  "v1 Service": service,
  "v1 ServiceAccount": serviceAccount
}

/** A copy of a value that notes the path of every field that is read from it. */
const watched = (value: unknown, path: string, read: Set<string>): unknown =>
  Array.isArray(value)
    ? value.map((item, place) => watched(item, `${path}/${place}`, read))
    : typeof value === "object" && value !== null
      ? new Proxy(
          Object.fromEntries(
            Object.entries(value).map(([key, inner]) => [key, watched(inner, `${path}/${key}`, read)])
          ),
          {
            get: (target, key) => {
              read.add(`${path}/${String(key)}`)
              return Reflect.get(target, key)
            }
          }
        )
      : value

const fieldsOf = (value: unknown, path = ""): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const below = fieldsOf(inner, `${path}/${key}`)
        return Array.isArray(value) ? below : [`${path}/${key}`, ...below]
      })
    : []

/**
 * What is wrong with a manifest. The schemas permit unknown fields, which Kubernetes ignores or refuses: a field that the validator did
 * not read is unknown.
 */
export const faultsOf = (manifest: Manifest): ReadonlyArray<unknown> => {
  const kind = `${manifest.apiVersion} ${manifest.kind}`
  const validate = validators[kind]
  if (validate === undefined) return [`No schema of ${kind}`]
  const read = new Set<string>()
  return validate(watched(manifest, "", read))
    ? fieldsOf(manifest).flatMap((field) => (read.has(field) ? [] : [`Unknown field ${field}`]))
    : [validate.errors]
}
