import { describe, expect, it } from "vitest"
import type { Family } from "../../src/observability/figures.ts"
import type { ToWorker } from "../../src/workers/messages.ts"
import { WorkerFigures } from "../../src/workers/worker-figures.ts"
import { patientTiming, timingOf } from "../support/timing.ts"

const counted = (value: number): ReadonlyArray<Family> => [
  { name: "test_total", help: "Counted.", kind: "counter", bounds: [], series: { "": [value] } }
]

const countOf = (families: ReadonlyArray<Family>) =>
  families.find(({ name }) => name === "test_total")?.series[""]?.[0]

/** One worker's figures, and what it has been asked. */
const asking = (timing = patientTiming) => {
  const asked: Array<ToWorker> = []
  const figures = new WorkerFigures(timing, (message) => {
    asked.push(message)
    return [1]
  })
  return { asked, figures }
}

/** All that needs no time to pass has been done. */
const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

describe("the metrics of all workers", () => {
  it("are requested once for concurrent readers, and again afterwards", async () => {
    const { asked, figures } = asking()
    const first = figures.collect()
    await settled()
    expect(asked).toEqual([{ _tag: "Report", id: 1 }])

    const later = Array.from({ length: 20 }, () => figures.collect())
    await settled()
    expect(asked).toHaveLength(1)

    figures.reported(1, counted(1), 1)
    expect(countOf(await first)).toBe(1)
    await settled()
    expect(asked).toEqual([1, 2].map((id) => ({ _tag: "Report", id })))

    figures.reported(1, counted(2), 2)
    expect((await Promise.all(later)).map(countOf)).toEqual(later.map(() => 2))
    expect(asked).toHaveLength(2)
  })

  it("use the last report of a worker that does not respond", async () => {
    const { figures } = asking(timingOf({ timeouts: { "workers.report": 10 } }))
    figures.reported(1, counted(7), undefined)
    const answers = await Promise.all([figures.collect(), figures.collect()])
    expect(answers.map(countOf)).toEqual([7, 7])
  })
})
