/** Large bodies that come together are taken in one at a time, and everything else has its turn between two steps. */
import { expect, it } from "vitest"
import { inSteps } from "../../src/http/runtime/large-bodies.ts"

/** What happens, in its order: the steps of the bodies, and a turn of others whenever they have one. */
const watched = async (run: (events: Array<string>) => Promise<unknown>) => {
  const events: Array<string> = []
  let isOver = false
  const others = () => {
    events.push("others")
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  await run(events)
  isOver = true
  return events
}

it("sixteen at once: others have a turn after each step, and no body is begun before another is done", async () => {
  const numbers = Array.from({ length: 16 }, (_, n) => n)
  const events = await watched(async (events) => {
    const made = await Promise.all(
      numbers.map((n) =>
        inSteps(
          () => {
            events.push(`parse ${n}`)
            return n
          },
          (parsed) => {
            events.push(`decode ${parsed}`)
            return -parsed
          }
        )
      )
    )
    expect(made).toEqual(numbers.map((n) => -n))
  })
  const isStep = (event: string | undefined) => event !== undefined && event !== "others"
  expect(events.filter(isStep)).toEqual(numbers.flatMap((n) => [`parse ${n}`, `decode ${n}`]))
  expect(events.filter((event, index) => isStep(event) && isStep(events[index + 1]))).toEqual([])
})

it("one that is refused fails alone, and others have a turn after it, too", async () => {
  const events = await watched(async (events) => {
    const refused = (name: string) => () => {
      events.push(name)
      throw new Error(name)
    }
    const settled = await Promise.allSettled([
      inSteps(refused("parse 1"), () => {}),
      inSteps(() => {}, refused("decode 2")),
      inSteps(
        () => {
          events.push("parse 3")
        },
        () => "good"
      )
    ])
    expect(settled).toMatchObject([
      { reason: { message: "parse 1" } },
      { reason: { message: "decode 2" } },
      { value: "good" }
    ])
  })
  const order = events.join().replaceAll(/(?:others,)+/g, "others,")
  expect(order).toContain("parse 1,others,decode 2,others,parse 3")
})
