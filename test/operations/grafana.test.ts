/** docs/grafana: what it shows and warns of is what `/metrics` says. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { YAML } from "bun"
import { Effect } from "effect"
import { it } from "vitest"
import type { Family } from "../../src/observability/figures.ts"
import { figures } from "../../src/observability/meters.ts"
import { onboard, send } from "../support/client.ts"
import { databaseOn } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { type RunningServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { add, dispatching, recordingKind } from "../support/work/dispatching.ts"

const folder = join(import.meta.dirname, "../../docs/grafana")
const dashboardText = readFileSync(join(folder, "doorlock.json"), "utf8")
const alertsText = readFileSync(join(folder, "alerts.yml"), "utf8")

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

// The casts: files of ours, of which the tests below say what is in them.
const dashboard = JSON.parse(dashboardText) as { readonly panels: ReadonlyArray<Panel> }
const alerts = YAML.parse(alertsText) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}
const rules = alerts.groups.flatMap((group) => group.rules)

/** Names of metrics and, of each, the labels that an expression asks of it. */
const selectorsOf = (expr: string) =>
  [...expr.matchAll(/\b((?:doorlock|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", labels = ""]) => ({
    name,
    labels: [...labels.matchAll(/(\w+)(=|!=|=~|!~)"([^"]*)"/g)].map(
      ([, label = "", operator = "", value = ""]) => ({
        label,
        operator,
        value
      })
    )
  }))

/** The labels by which an expression groups. */
const groupings = (expr: string) =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((one) => one.trim())
  )

/** What Prometheus adds to every series, and to buckets. */
const ofPrometheus = ["instance", "job", "le"]

const expressions = [
  ...dashboard.panels.flatMap(({ targets = [], title }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ alert, expr }) => [alert, expr] as const)
]

/** Work of one kind, which this process has run. */
const ran = ({ databaseUrl }: RunningServer) =>
  Effect.gen(function* () {
    const { kind, started } = recordingKind()
    const { run } = yield* dispatching(databaseUrl, [kind])
    yield* add({ lanes: ["one"], count: 1 })
    yield* eventually("the work is done", () => started.length === 1)
    yield* run("work.figures")
    expect(figures().some(isOfWork)).toBe(true)
  }).pipe(Effect.provide(databaseOn({ url: databaseUrl, maxConnections: 1 })))

const isOfWork = ({ name, series }: Family) => name === "doorlock_work_jobs" && 'kind="test.number"' in series

suite(TestServer.layer)("every expression", (each) => {
  each.scoped("is made of metrics, labels and values that there are", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { session } = yield* onboard(server)
      yield* send(server, "GET", `${session.path}?token=wrong`)
      yield* send(server, "GET", "/gateway/a/b/v/1/c")
      yield* ran(server)
      yield* metricsOf(server)
      const { kinds, labelled, text } = yield* metricsOf(server)
      const familyOf = (name: string) => {
        const family = name.replace(/_(bucket|sum|count)$/, "")
        return kinds.get(name) ?? (kinds.get(family) === "histogram" ? "histogram" : undefined)
      }
      for (const [title, expr] of expressions) {
        const selectors = selectorsOf(expr)
        if (selectors.length === 0) expect([title, expr]).toEqual(["DoorlockDown", 'up{job="doorlock"} == 0'])
        for (const { labels, name } of selectors) {
          expect([title, name, familyOf(name)]).toEqual([title, name, expect.any(String)])
          // A rate of what goes up and down, or the value of what only goes up, means nothing.
          const isRated = new RegExp(`(rate|increase)\\(${name}\\b`).test(expr)
          expect([title, name, isRated]).toEqual([title, name, familyOf(name) !== "gauge"])
          for (const { label, operator, value } of labels.filter(
            (one) => !ofPrometheus.includes(one.label)
          )) {
            const values = labelled(name, label)
            expect([title, name, label, values.size > 0]).toEqual([title, name, label, true])
            if (operator === "=" && value !== "5xx")
              expect([title, value, [...values]]).toEqual([title, value, expect.arrayContaining([value])])
            if (operator === "=~") for (const one of value.split("|")) expect([...values]).toContain(one)
          }
        }
        const known = new Set([
          ...ofPrometheus,
          ...selectors.flatMap(({ name }) =>
            [...text.matchAll(new RegExp(`^${name}\\{(.*)\\}`, "gm"))].flatMap(([, labels = ""]) =>
              [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)
            )
          )
        ])
        for (const label of groupings(expr))
          expect([title, [...known]]).toEqual([title, expect.arrayContaining([label])])
      }
      // And every metric is shown; the start time appears as the uptime.
      const shown = new Set(
        expressions.flatMap(([, expr]) =>
          selectorsOf(expr).map(({ name }) => name.replace(/_(bucket|sum|count)$/, ""))
        )
      )
      expect([...kinds.keys()].filter((name) => !shown.has(name))).toEqual(["process_start_time_seconds"])
    })
  )
})

describe("the dashboard", () => {
  it("can be imported: each panel has a unique id, its own place, and a selectable data source", () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    const sources = [...dashboardText.matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid)
    expect(sources.filter((uid) => uid !== "doorlock")).toEqual(
      sources.slice(1).map(() => expect.stringMatching(/^\$\{datasource\}$/))
    )
    expect(dashboardText).not.toContain("__inputs")
  })
})

describe("the alerts", () => {
  it("have a unique name, a severity and a summary", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, annotations, labels } of rules) {
      expect([alert, ["critical", "warning"]]).toEqual([alert, expect.arrayContaining([labels.severity])])
      expect([alert, annotations.summary]).toEqual([alert, expect.stringMatching(/\S.*\.$/)])
    }
  })

  it("are those that docs/operations.md says what to do about", () => {
    const page = readFileSync(join(folder, "../operations.md"), "utf8")
    const named = [...page.matchAll(/`(Doorlock\w+)`/g)].map(([, name = ""]) => name)
    expect([...new Set(named)].sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })
})
