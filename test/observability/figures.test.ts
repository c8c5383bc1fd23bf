import { describe, expect, it } from "vitest"
import { exposition, type Family, lasting, merged, ofWorker } from "../../src/observability/figures.ts"
import { Histogram } from "../../src/observability/meters.ts"

const counter = (series: Family["series"]): Family => ({
  name: "calls_total",
  help: "Calls.",
  kind: "counter",
  bounds: [],
  series
})
const gauge = (series: Family["series"]): Family => ({
  name: "open",
  help: "Open.",
  kind: "gauge",
  bounds: [],
  series
})
const durations: Family = {
  name: "seconds",
  help: "Time.",
  kind: "histogram",
  bounds: [0.1, 1],
  series: { 'route="/x"': [2, 1, 3, 12.5] }
}

describe("exposition", () => {
  it("is Prometheus' text format 0.0.4, with cumulative buckets", () => {
    expect(
      exposition([counter({ "": [3] }), gauge({ 'state="idle"': [1], 'state="busy"': [0] }), durations])
    ).toBe(
      [
        "# HELP calls_total Calls.",
        "# TYPE calls_total counter",
        "calls_total 3",
        "# HELP open Open.",
        "# TYPE open gauge",
        'open{state="idle"} 1',
        'open{state="busy"} 0',
        "# HELP seconds Time.",
        "# TYPE seconds histogram",
        'seconds_bucket{route="/x",le="0.1"} 2',
        'seconds_bucket{route="/x",le="1"} 3',
        'seconds_bucket{route="/x",le="+Inf"} 6',
        'seconds_sum{route="/x"} 12.5',
        'seconds_count{route="/x"} 6',
        ""
      ].join("\n")
    )
  })
})

describe("several processes", () => {
  it("sum their counters, series by series", () => {
    expect(
      merged([counter({ 'k="a"': [1] }), durations, counter({ 'k="a"': [2], 'k="b"': [5] }), durations])
    ).toEqual([
      counter({ 'k="a"': [3], 'k="b"': [5] }),
      { ...durations, series: { 'route="/x"': [4, 2, 6, 25] } }
    ])
  })

  it("report gauges separately", () => {
    const two = merged(
      [1, 2].flatMap((number) => ofWorker([counter({ "": [1] }), gauge({ "": [number] })], number))
    )
    expect(two).toEqual([counter({ "": [2] }), gauge({ 'worker="1"': [1], 'worker="2"': [2] })])
  })

  it("leave their counts behind when they end", () => {
    expect(lasting([counter({ "": [1] }), gauge({ "": [1] }), durations])).toEqual([
      counter({ "": [1] }),
      durations
    ])
  })
})

it("a histogram counts a value equal to a bound below it", () => {
  const times = new Histogram([0.1, 1])
  for (const seconds of [0.05, 0.1, 0.100001, 1, 2, 3]) times.observe(seconds)
  expect(times.read()).toEqual([2, 2, 2, expect.closeTo(6.250001)])
})
