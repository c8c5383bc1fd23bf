/** Parses `/metrics`. */
import { Effect } from "effect"
import { send } from "../client.ts"
import type { RunningServer } from "../server.ts"

/** A sample line: name, labels and value. */
const sample = /^([a-z_]+)(?:\{((?:[a-z_]+="[^"\\]*",?)+)\})? (\S+)$/

export interface Metrics {
  readonly text: string
  /** The type of each metric family, by name. */
  readonly kinds: ReadonlyMap<string, string>
  /** The sum of the samples with this name and all these labels; undefined if there are none. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined
  /** The values of a label in the samples with this name. */
  readonly labelled: (name: string, label: string) => ReadonlySet<string>
}

const labelsOf = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]))

/** Throws if a line is malformed. */
export const parseMetrics = (text: string): Metrics => {
  const kinds = new Map<string, string>()
  const samples: Array<{ name: string; labels: ReadonlyMap<string, string>; value: number }> = []
  if (!text.endsWith("\n")) throw new Error("The last line has no line break")
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (type !== null) {
      const [, name = "", kind = ""] = type
      if (kinds.has(name)) throw new Error(`${name} has two types`)
      kinds.set(name, kind)
      continue
    }
    if (/^# HELP [a-z_]+ \S.*$/.test(line)) continue
    const found = sample.exec(line)
    const value = Number(found?.[3])
    if (found === null || Number.isNaN(value)) throw new Error(`Not a sample: ${line}`)
    samples.push({ name: found[1] ?? "", labels: labelsOf(found[2] ?? ""), value })
  }
  return {
    text,
    kinds,
    value: (name, labels = {}) => {
      const having = samples.filter(
        (candidate) =>
          candidate.name === name &&
          Object.entries(labels).every(([label, value]) => candidate.labels.get(label) === value)
      )
      return having.length === 0 ? undefined : having.reduce((sum, { value }) => sum + value, 0)
    },
    labelled: (name, label) =>
      new Set(samples.flatMap((one) => (one.name === name ? (one.labels.get(label) ?? []) : [])))
  }
}

/** The server's current metrics. */
export const metricsOf = (server: Pick<RunningServer, "url">): Effect.Effect<Metrics> =>
  Effect.map(send(server, "GET", "/metrics"), ({ status, text }) => {
    if (status !== 200) throw new Error(`Expected 200, got ${status} ${text}`)
    return parseMetrics(text)
  })

/** By how much the `wanted` samples increased while `act` ran. */
export const increases = <A, E, R>(
  server: Pick<RunningServer, "url">,
  act: Effect.Effect<A, E, R>,
  wanted: ReadonlyArray<readonly [name: string, labels?: Readonly<Record<string, string>>]>
) =>
  Effect.gen(function* () {
    const before = yield* metricsOf(server)
    yield* act
    const after = yield* metricsOf(server)
    return wanted.map(
      ([name, labels]) => (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0)
    )
  })
