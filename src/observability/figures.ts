/** Metrics as processes exchange them, and as Prometheus reads them. */
import { Record, Schema } from "effect"

/** Series by label text (`method="GET",route="/healthz"`): one value, or a histogram's counts and sum. */
export const Family = Schema.Struct({
  name: Schema.String,
  help: Schema.String,
  kind: Schema.Literal("counter", "gauge", "histogram"),
  bounds: Schema.Array(Schema.Number),
  series: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.Number) })
})
export type Family = typeof Family.Type

/** Adds up series of the same name and labels, in the order of first appearance. */
export const merged = (families: Iterable<Family>): ReadonlyArray<Family> => {
  const byName = new Map<string, Family & { readonly series: Record<string, ReadonlyArray<number>> }>()
  for (const family of families) {
    const known = byName.get(family.name) ?? { ...family, series: {} }
    byName.set(family.name, known)
    for (const [labels, values] of Object.entries(family.series)) {
      const sum = known.series[labels]
      known.series[labels] =
        sum === undefined ? values : values.map((value, place) => value + (sum[place] ?? 0))
    }
  }
  return [...byName.values()]
}

/** The families that must keep counting after their process has ended. */
export const lasting = (families: ReadonlyArray<Family>): ReadonlyArray<Family> =>
  families.filter(({ kind }) => kind !== "gauge")

const joined = (labels: string, more: string): string => (labels === "" ? more : `${labels},${more}`)

/** Labels gauges with the number of their process, since they describe it alone. */
export const ofWorker = (families: ReadonlyArray<Family>, worker: number): ReadonlyArray<Family> =>
  families.map((family) =>
    family.kind === "gauge"
      ? {
          ...family,
          series: Record.mapKeys(family.series, (labels) => joined(labels, `worker="${worker}"`))
        }
      : family
  )

const sample = (name: string, labels: string, value: number): string =>
  `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`

const histogramSamples = ({ bounds, name }: Family, labels: string, values: ReadonlyArray<number>) => {
  let count = 0
  const buckets = [...bounds.map(String), "+Inf"].map((bound, place) => {
    count += values[place] ?? 0
    return sample(`${name}_bucket`, joined(labels, `le="${bound}"`), count)
  })
  return `${buckets.join("")}${sample(`${name}_sum`, labels, values.at(-1) ?? 0)}${sample(`${name}_count`, labels, count)}`
}

/** Prometheus' text format, version 0.0.4. */
export const exposition = (families: ReadonlyArray<Family>): string =>
  families
    .map((family) => {
      const { help, kind, name, series } = family
      const samples = Object.entries(series).map(([labels, values]) =>
        kind === "histogram" ? histogramSamples(family, labels, values) : sample(name, labels, values[0] ?? 0)
      )
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${samples.join("")}`
    })
    .join("")
