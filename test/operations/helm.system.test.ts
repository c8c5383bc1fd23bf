/** docs/deploy/helm: what the chart gives to Kubernetes is valid, safe, and able to set everything. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { isPublicAddress } from "../../src/gateway/address.ts"
import { field, send } from "../support/client.ts"
import { Chart, chartFolder, chartNeeds, type Manifest } from "../support/deploy/chart.ts"
import { faultsOf } from "../support/deploy/kubernetes.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { TestServer } from "../support/server.ts"
import { settings } from "../support/settings.ts"
import { suite } from "../support/suite.ts"

const read = (name: string) => readFileSync(join(chartFolder, name), "utf8")
const schema = JSON.parse(read("values.schema.json"))
const isValid = new Ajv({ allowUnionTypes: true }).compile(schema)
const settable = {
  config: Object.keys(schema.properties.config.properties),
  secret: Object.keys(schema.properties.secret.properties)
}

const image = { repository: "registry.example.com/doorlock" }
const config = { BASE_URL: "https://doorlock.example.com", S3_BUCKET: "uploads" }
const secret = {
  SECRET_KEY: "a secret key of at least 32 bytes",
  DATABASE_URL: "postgres://doorlock:password@database/doorlock",
  REDIS_URL: "redis://redis"
}

/** Everything that has to be set, and nothing else. */
const least = { image, config, secret }

const variants = {
  "the least values": least,
  "a Secret that exists, and a volume": {
    image: { repository: image.repository, digest: `sha256:${"0".repeat(64)}` },
    imagePullSecrets: [{ name: "registry" }],
    config: { BASE_URL: config.BASE_URL, PORT: 8080 },
    existingSecret: "doorlock-secrets",
    extraEnv: [{ name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "database-app", key: "uri" } } }],
    persistence: { existingClaim: "uploads" },
    migrations: { enabled: false },
    serviceAccount: { create: false },
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } }
  },
  "scaling by all figures": {
    ...least,
    autoscaling: { enabled: true, targetEventLoopLag: "50m", targetGatewayCallsPerSecond: "500" },
    affinity: { podAntiAffinity: {} },
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    topologySpreadConstraints: [
      { topologyKey: "kubernetes.io/hostname", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }
    ]
  },
  "an Ingress and no policy of the network": {
    ...least,
    config: { ...config, TRUSTED_PROXIES: "10.0.0.0/8" },
    replicaCount: 1,
    preStopSleepSeconds: 15,
    ingress: {
      enabled: true,
      className: "nginx",
      annotations: { "cert-manager.io/cluster-issuer": "letsencrypt" },
      hosts: ["doorlock.example.com"],
      tls: [{ secretName: "doorlock-tls", hosts: ["doorlock.example.com"] }]
    },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false }
  },
  "a gateway by itself": {
    image,
    config: { BASE_URL: config.BASE_URL, ROLE: "gateway", TRUSTED_PROXIES: "10.0.0.0/8" },
    secret: { DATABASE_URL: secret.DATABASE_URL, REDIS_URL: secret.REDIS_URL },
    ingress: { enabled: true, className: "nginx", hosts: ["doorlock.example.com"], path: "/gateway/" }
  },
  "every setting": {
    ...least,
    config: Object.fromEntries(
      settable.config.map((name) => {
        const { enum: allowed } = schema.properties.config.properties[name]
        return [name, name === "PORT" ? 3000 : (allowed?.[0] ?? "x")]
      })
    ),
    secret: Object.fromEntries(settable.secret.map((name) => [name, "secret value"]))
  }
}

const kinds = (manifests: ReadonlyArray<Manifest>) =>
  manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()

const one = (manifests: ReadonlyArray<Manifest>, kind: string, name = "release-doorlock"): Manifest => {
  const found = manifests.filter((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  expect([kind, name, found.length]).toEqual([kind, name, 1])
  return found[0] as Manifest
}

const podOf = (manifest: Manifest) => field(manifest, "spec", "template", "spec")
const containerOf = (manifest: Manifest) => field(podOf(manifest), "containers", 0)

describe("values.schema.json", () => {
  it("lets each setting be set, in the place that its secrecy requires", () =>
    Effect.runPromise(
      Effect.map(settings, (names) => {
        // The chart sets DATA_DIR itself.
        expect([...settable.config, ...settable.secret, "DATA_DIR"].sort()).toEqual(names)
        expect(settable.secret).toEqual(
          [...read("templates/_helpers.tpl").matchAll(/"([A-Z0-9_]+)"/g)]
            .map(([, name]) => name)
            .filter(
              (name, place, all) => settable.secret.includes(String(name)) && all.indexOf(name) === place
            )
            .sort()
        )
      })
    ))

  it("accepts the values of these tests, and none that are misspelt, secret in `config`, or `latest`", () => {
    for (const [name, values] of Object.entries(variants))
      expect([name, isValid(values)]).toEqual([name, true])
    expect(isValid(Bun.YAML.parse(read("values.yaml")))).toBe(true)
    for (const values of [
      { replicas: 2 },
      { config: { SECRET_KEY: "x" } },
      { config: { BASE_ULR: "x" } },
      { secret: { BASE_URL: "x" } },
      { image: { tag: "latest" } }
    ]) {
      expect([values, isValid(values)]).toEqual([values, false])
    }
  })
})

describe("Chart.yaml", () => {
  it("is of this version of doorlock", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    expect(Bun.YAML.parse(read("Chart.yaml"))).toMatchObject({ apiVersion: "v2", appVersion: version })
  })
})

describe.skipIf(chartNeeds !== undefined)(
  `the chart${chartNeeds === undefined ? "" : ` (needs ${chartNeeds})`}`,
  () => {
    suite(Chart.layer)("rendered", (it) => {
      for (const [name, values] of Object.entries(variants)) {
        it.effect(`${name}: is valid for Kubernetes, confined, and holds together`, () =>
          Effect.gen(function* () {
            const manifests = yield* (yield* Chart).render(values)
            for (const manifest of manifests.filter(({ kind }) => kind !== "ServiceMonitor")) {
              expect([manifest.kind, faultsOf(manifest)]).toEqual([manifest.kind, []])
            }
            const names = kinds(manifests)
            expect(new Set(names).size).toBe(names.length)

            const workloads = manifests.filter(({ kind }) => ["Deployment", "Job"].includes(kind))
            for (const workload of workloads) {
              expect(podOf(workload)).toMatchObject({
                automountServiceAccountToken: false,
                securityContext: {
                  runAsNonRoot: true,
                  runAsUser: expect.any(Number),
                  seccompProfile: { type: "RuntimeDefault" }
                },
                containers: [
                  {
                    image: expect.stringMatching(
                      /^registry\.example\.com\/doorlock(?::\d+\.\d+\.\d+|@sha256:0{64})$/
                    ),
                    securityContext: {
                      allowPrivilegeEscalation: false,
                      readOnlyRootFilesystem: true,
                      capabilities: { drop: ["ALL"] }
                    },
                    resources: {
                      requests: { cpu: expect.any(String) },
                      limits: { memory: expect.any(String) }
                    },
                    volumeMounts: expect.arrayContaining([
                      { name: "data", mountPath: "/data" },
                      { name: "tmp", mountPath: "/tmp" }
                    ])
                  }
                ]
              })
            }

            // The Service and the budget choose the servers, and never the Pod that migrates.
            const labelsOf = (manifest: Manifest) => field(manifest, "spec", "template", "metadata", "labels")
            const deployment = one(manifests, "Deployment")
            const chosen = field(deployment, "spec", "selector", "matchLabels")
            expect(labelsOf(deployment)).toMatchObject(Object(chosen))
            expect(field(one(manifests, "Service"), "spec", "selector")).toEqual(chosen)
            for (const budget of manifests.filter(({ kind }) => kind === "PodDisruptionBudget")) {
              expect(field(budget, "spec", "selector", "matchLabels")).toEqual(chosen)
            }
            for (const job of manifests.filter(({ kind }) => kind === "Job")) {
              expect(labelsOf(job)).not.toMatchObject(Object(chosen))
            }
            for (const policy of manifests.filter(({ kind }) => kind === "NetworkPolicy")) {
              for (const workload of workloads) {
                expect(labelsOf(workload)).toMatchObject(
                  Object(field(policy, "spec", "podSelector", "matchLabels"))
                )
              }
            }

            // What a Pod reads its settings from exists, and no secret is outside a Secret.
            for (const workload of workloads) {
              const sources = Object.values(Object(field(containerOf(workload), "envFrom")))
              const configMap = String(field(sources[0], "configMapRef", "name"))
              one(manifests, "ConfigMap", configMap)
              const from = String(field(sources[1], "secretRef", "name"))
              if (from !== "doorlock-secrets") one(manifests, "Secret", from)
            }
            for (const manifest of manifests.filter(({ kind }) => kind !== "Secret")) {
              const text = JSON.stringify(manifest)
              for (const value of [...Object.values(secret), "secret value"])
                expect(text).not.toContain(value)
            }
          })
        )
      }

      it.effect("asks /healthz and /readyz, and may take as long to stop as doorlock needs", () =>
        Effect.gen(function* () {
          const { render } = yield* Chart
          const deployment = one(yield* render(least), "Deployment")
          const http = (path: string) => ({ httpGet: { path, port: "http" } })
          expect(containerOf(deployment)).toMatchObject({
            ports: [{ name: "http", containerPort: 3000 }],
            startupProbe: http("/healthz"),
            livenessProbe: http("/healthz"),
            readinessProbe: http("/readyz"),
            lifecycle: { preStop: { exec: { command: ["sleep", "5"] } } }
          })
          expect(podOf(deployment)).toMatchObject({ terminationGracePeriodSeconds: 50 })
          // The same figure that docs/operations.md tells everybody else.
          expect(readFileSync("docs/operations.md", "utf8")).toContain("Allow 45 s before SIGKILL.")
          const slower = one(yield* render({ ...least, preStopSleepSeconds: 15 }), "Deployment")
          expect(podOf(slower)).toMatchObject({ terminationGracePeriodSeconds: 60 })
          const server = yield* TestServer
          for (const path of ["/healthz", "/readyz"])
            expect((yield* send(server, "GET", path)).status).toBe(200)
        }).pipe(Effect.provide(TestServer.layer))
      )

      it.effect("migrates before anything else, with settings of its own that are deleted afterwards", () =>
        Effect.gen(function* () {
          const manifests = yield* (yield* Chart).render(least)
          const hooks = manifests.filter(
            ({ metadata }) => metadata.annotations?.["helm.sh/hook"] !== undefined
          )
          const name = "release-doorlock-migrate"
          expect(kinds(hooks)).toEqual([`ConfigMap ${name}`, `Job ${name}`, `Secret ${name}`])
          const job = one(hooks, "Job", name)
          for (const { kind, metadata } of hooks) {
            expect(metadata.annotations).toMatchObject({
              "helm.sh/hook": "pre-install,pre-upgrade",
              "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded"
            })
            const weight = Number(metadata.annotations?.["helm.sh/hook-weight"])
            const last = Number(job.metadata.annotations?.["helm.sh/hook-weight"])
            expect([kind, kind === "Job" ? weight === last : weight < last]).toEqual([kind, true])
          }
          // A command that there is.
          expect(containerOf(job)).toMatchObject({ args: ["src/cli.ts", "migrate"] })
          expect(readFileSync("src/cli/migrate.ts", "utf8")).toContain('"migrate"')
          // It does not exist yet when hooks run.
          expect(podOf(job)).not.toHaveProperty("serviceAccountName")
        })
      )

      it.effect("installs a gateway that gets only gateway calls and migrates nothing", () =>
        Effect.gen(function* () {
          const manifests = yield* (yield* Chart).render(variants["a gateway by itself"])
          expect(manifests.filter(({ kind }) => kind === "Job")).toEqual([])
          expect(field(one(manifests, "Ingress"), "spec", "rules", 0, "http", "paths")).toMatchObject([
            { path: "/gateway/", pathType: "Prefix" }
          ])
          const everything = yield* (yield* Chart).render(variants["an Ingress and no policy of the network"])
          expect(field(one(everything, "Ingress"), "spec", "rules", 0, "http", "paths")).toMatchObject([
            { path: "/" }
          ])
        })
      )

      it.effect("writes settings as doorlock reads them", () =>
        Effect.gen(function* () {
          const given = { ...config, QUOTA_API_KEYS: 1_000_000, CHECKS_FACE_THRESHOLD: 0.4, SEED_DEMO: false }
          const manifests = yield* (yield* Chart).render({ ...least, config: given })
          expect(one(manifests, "ConfigMap").data).toEqual({
            ...config,
            QUOTA_API_KEYS: "1000000",
            CHECKS_FACE_THRESHOLD: "0.4",
            SEED_DEMO: "false"
          })
        })
      )

      it.effect("replaces the Pods when a setting changes", () =>
        Effect.gen(function* () {
          const { render } = yield* Chart
          const annotations = (values: unknown) =>
            Effect.map(render(values), (manifests) =>
              JSON.stringify(
                field(one(manifests, "Deployment"), "spec", "template", "metadata", "annotations")
              )
            )
          const texts = yield* Effect.forEach(
            [
              least,
              least,
              { ...least, config: { ...config, SIGNUP: "open" } },
              { ...least, secret: { ...secret, SECRET_KEY: "another secret key of at least 32 bytes" } }
            ],
            annotations
          )
          expect(new Set(texts).size).toBe(3)
          expect(texts[0]).toBe(texts[1])
        })
      )

      it.effect(
        "refuses values with which doorlock would not start, or would not be safe, in a sentence",
        () =>
          Effect.gen(function* () {
            const { render } = yield* Chart
            const without = (from: Readonly<Record<string, string>>, name: string) =>
              Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
            for (const [values, sentence] of [
              [{ config, secret }, "image.repository must be set"],
              [{ ...least, config: without(config, "BASE_URL") }, "config.BASE_URL must be set"],
              [
                { ...least, secret: without(secret, "SECRET_KEY") },
                "secret.SECRET_KEY must be set, or existingSecret"
              ],
              [
                { ...least, secret: without(secret, "DATABASE_URL") },
                "secret.DATABASE_URL must be set, or existingSecret"
              ],
              [
                { ...least, secret: without(secret, "REDIS_URL") },
                "secret.REDIS_URL must be set for more than one replica"
              ],
              [
                { ...least, config: without(config, "S3_BUCKET") },
                "config.S3_BUCKET or persistence.existingClaim"
              ],
              [{ ...least, ingress: { enabled: true } }, "config.TRUSTED_PROXIES must be set"],
              [{ ...least, serviceMonitor: { enabled: true } }, "secret.METRICS_TOKEN must be set"]
            ] as const) {
              expect((yield* Effect.flip(render(values))).message).toContain(sentence)
            }
            yield* render({ ...least, replicaCount: 1, secret: without(secret, "REDIS_URL") })
          })
      )

      it.effect("keeps the network closed: DNS, the database's ports and public addresses only", () =>
        Effect.gen(function* () {
          const policy = one(yield* (yield* Chart).render(least), "NetworkPolicy")
          expect(policy.spec).toMatchObject({
            policyTypes: ["Ingress", "Egress"],
            ingress: [
              {
                from: ["ingress-nginx", "monitoring"].map((name) => ({
                  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } }
                })),
                ports: [{ port: "http" }]
              }
            ],
            egress: [
              { ports: [{ port: 53 }, { port: 53 }] },
              { ports: [{ port: 5432 }, { port: 6379 }] },
              { to: [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "2000::/3" } }] }
            ]
          })
          const closed = Object.values(
            Object(field(policy.spec, "egress", 2, "to", 0, "ipBlock", "except"))
          ).map(String)
          expect(closed).toEqual(
            expect.arrayContaining(["10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"])
          )
          // Nothing that the gateway would call.
          for (const range of closed) {
            expect([range, isPublicAddress(range.replace(/\/\d+$/, ""))]).toEqual([range, false])
          }
        })
      )

      it.effect("scrapes with the token, under the name that the alerts use", () =>
        Effect.gen(function* () {
          const manifests = yield* (yield* Chart).render(variants["a Secret that exists, and a volume"])
          const service = one(manifests, "Service")
          const { metadata, spec } = one(manifests, "ServiceMonitor")
          expect(metadata.labels).toMatchObject({ release: "prometheus" })
          expect(spec).toMatchObject({
            jobLabel: "app.kubernetes.io/name",
            endpoints: [
              {
                port: field(service, "spec", "ports", 0, "name"),
                path: "/metrics",
                authorization: { credentials: { name: "doorlock-secrets", key: "METRICS_TOKEN" } }
              }
            ]
          })
          expect(service.metadata.labels).toMatchObject(Object(field(spec, "selector", "matchLabels")))
          expect(service.metadata.labels["app.kubernetes.io/name"]).toBe("doorlock")
        })
      )

      it.effect("scales by figures that Prometheus' adapter makes of doorlock's own", () =>
        Effect.gen(function* () {
          const manifests = yield* (yield* Chart).render(variants["scaling by all figures"])
          expect(one(manifests, "Deployment").spec).not.toHaveProperty("replicas")
          const rules = Object.values<unknown>(
            Object(field(Bun.YAML.parse(read("../prometheus-adapter.yaml")), "rules", "custom"))
          )
          const made = rules.map((rule) => field(rule, "name", "as"))
          const { metrics } = Object(one(manifests, "HorizontalPodAutoscaler").spec)
          expect(metrics).toMatchObject([
            { type: "Resource", resource: { name: "cpu" } },
            ...made.map((name) => ({ type: "Pods", pods: { metric: { name } } }))
          ])
          const server = yield* TestServer
          yield* send(server, "GET", "/gateway/a/b/v/1/c")
          const figures = yield* metricsOf(server)
          for (const rule of rules) {
            const series = String(field(rule, "seriesQuery"))
            const [, name = "", percentile] =
              /^([a-z_]+)\{(?:percentile="(\w+)",)?namespace!="",pod!=""\}$/.exec(series) ?? []
            expect([series, figures.kinds.has(name)]).toEqual([series, true])
            if (percentile !== undefined) expect(figures.labelled(name, "percentile")).toContain(percentile)
            // A rate of what only goes up, and the value of what goes up and down.
            const isRated = String(field(rule, "metricsQuery")).includes("rate(")
            expect([name, isRated]).toEqual([name, figures.kinds.get(name) === "counter"])
          }
        }).pipe(Effect.provide(TestServer.layer))
      )
    })
  }
)
