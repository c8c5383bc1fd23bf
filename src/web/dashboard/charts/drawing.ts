/** Draws stacked bars. Loaded with the first chart, because the library is as large as half of the dashboard. */
import uPlot from "uplot"

/** What a chart of stacked bars shows. */
export interface Bars {
  /** One for each bar. */
  readonly labels: ReadonlyArray<string>
  /** From the lowest part of a bar to the highest. `look` is the class of its colour. */
  readonly series: ReadonlyArray<{
    readonly name: string
    readonly look: string
    readonly values: ReadonlyArray<number>
  }>
}

const height = 220

/** The computed value, because a canvas does not know the functions of style sheets. */
const colourOf = (target: HTMLElement, look: string): string => {
  const probe = document.createElement("i")
  probe.className = look
  target.append(probe)
  const { backgroundColor } = getComputedStyle(probe)
  probe.remove()
  return backgroundColor
}

/** Series of which each is on top of those before it. */
const stacked = (series: Bars["series"]): Array<ReadonlyArray<number>> => {
  const sums: Array<ReadonlyArray<number>> = []
  for (const { values } of series) {
    const below = sums.at(-1)
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)))
  }
  return sums
}

/** Fills `target` with the chart, which follows its width and the colour scheme. Returns how to remove it. */
export const draw = (target: HTMLElement, { labels, series }: Bars): (() => void) => {
  const share = 0.8
  const bars = uPlot.paths.bars?.({ size: [share, 60], radius: 0.2 })
  const axis = {
    stroke: () => colourOf(target, "chart-ink"),
    grid: { stroke: () => colourOf(target, "chart-grid"), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(target).fontFamily}`
  }
  // A higher bar is painted first, so that the lower ones cover its lower part.
  const shown = stacked(series)
    .map((values, index) => ({ values, look: `swatch ${series[index]?.look ?? ""}` }))
    .toReversed()
  const highest = Math.max(1, ...shown.flatMap(({ values }) => values))
  const options: uPlot.Options = {
    width: target.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: [-0.5, labels.length - 0.5] }, y: { range: [0, highest * 1.05] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: [1, 2, 5, 7, 10, 14, 30, 60, 90],
        space: 64,
        values: (_, places) => places.map((place) => labels[place] ?? "")
      },
      {
        ...axis,
        incrs: [1, 2, 5]
          .flatMap((step) => [1, 10, 100, 1e3, 1e4, 1e5, 1e6].map((size) => step * size))
          .sort((a, b) => a - b),
        size: 48
      }
    ],
    series: [
      {},
      ...shown.map(({ look }) => ({
        fill: () => colourOf(target, look),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars })
      }))
    ]
  }
  const plot = new uPlot(
    options,
    [labels.map((_, place) => place), ...shown.map(({ values }) => [...values])],
    target
  )
  const resized = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }))
  resized.observe(target)
  const scheme = matchMedia("(prefers-color-scheme: dark)")
  const redraw = () => plot.redraw(false, true)
  scheme.addEventListener("change", redraw)
  // The user's own choice of the scheme.
  const chosen = new MutationObserver(redraw)
  chosen.observe(document.documentElement, { attributeFilter: ["data-scheme"] })
  return () => {
    chosen.disconnect()
    resized.disconnect()
    scheme.removeEventListener("change", redraw)
    plot.destroy()
  }
}
