/** Concurrent large bodies are processed one at a time, and other work runs between two steps. */
import { expect, it } from "vitest"
import { enterLarge, inSteps } from "../../src/http/runtime/large-bodies.ts"

/** Processes a body of `holder` when its turn comes. */
const inTurn = <A>(take: () => Promise<A>, holder = "one"): Promise<A> =>
  new Promise((resolve, reject) => enterLarge(holder, () => take().then(resolve, reject)))

/** Records the steps of the bodies and the turns of other work, in order. */
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

it("sixteen at once: other work runs after each step, and one body is processed at a time", async () => {
  const numbers = Array.from({ length: 16 }, (_, n) => n)
  const events = await watched(async (events) => {
    const made = await Promise.all(
      numbers.map((n) =>
        inTurn(() =>
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
    )
    expect(made).toEqual(numbers.map((n) => -n))
  })
  const isStep = (event: string | undefined) => event !== undefined && event !== "others"
  expect(events.filter(isStep)).toEqual(numbers.flatMap((n) => [`parse ${n}`, `decode ${n}`]))
  expect(events.filter((event, index) => isStep(event) && isStep(events[index + 1]))).toEqual([])
})

it("holders take turns, and a body that is dropped while it waits is never processed", async () => {
  const begun: Array<string> = []
  const take = (holder: string, name: string) => () => {
    begun.push(`${holder} ${name}`)
    return Promise.resolve()
  }
  const gate = Promise.withResolvers<void>()
  enterLarge("flood", () => gate.promise)
  const left = enterLarge("flood", take("flood", "dropped"))
  const flood = ["1", "2", "3"].map((name) => inTurn(take("flood", name), "flood"))
  const others = ["a", "b"].map((holder) => inTurn(take(holder, "1"), holder))
  left()
  gate.resolve()
  await Promise.all([...flood, ...others])
  expect(begun).toEqual(["flood 1", "a 1", "b 1", "flood 2", "flood 3"])
})
