/** The rules of the fair queue: which entry is next, how many run at once, how many wait, and which one loses its place. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber, TestClock } from "effect"
import { FairQueue, type Lane, NoTurn } from "../../src/limits/fair-queue.ts"
import { CurrentRequest } from "../../src/shared/current-request.ts"

type QueueBounds = ConstructorParameters<typeof FairQueue>[0]

/** Named jobs in a queue: those that wait, those that have begun, and those that have lost their places. */
const worksIn = (bounds: QueueBounds) => {
  const queue = new FairQueue(bounds)
  const begun: Array<string> = []
  const refused: Array<string> = []
  const ends = new Map<string, () => void>()
  const add = (name: string, lanes: ReadonlyArray<Lane>, size?: number) =>
    queue.enter(
      lanes,
      {
        begin: (end) => {
          begun.push(name)
          ends.set(name, end)
        },
        refuse: () => refused.push(name)
      },
      size
    )
  const end = (name: string) => ends.get(name)?.()
  /** Ends jobs in the order in which they begin, until none is left. */
  const drain = () => {
    for (let i = 0; i < begun.length; i++) end(begun[i] ?? "")
    return begun
  }
  return { add, begun, drain, end, queue, refused }
}

const lane = (name: string, bounds: Omit<Lane, "name"> = {}): Lane => ({ name, ...bounds })

describe("turns", () => {
  it("of a long lane alternate with those of others; within a lane the oldest is first", () => {
    const { add, drain } = worksIn({ atOnce: 1 })
    for (const name of ["a0", "a1", "a2", "a3", "b0", "c0", "c1"]) add(name, [lane(name[0] ?? "")])
    expect(drain()).toEqual(["a0", "a1", "b0", "c0", "a2", "c1", "a3"])
  })

  it("are shared in the same way by the lanes within a lane", () => {
    const { add, drain } = worksIn({ atOnce: 1 })
    for (const name of ["a/x0", "a/x1", "a/x2", "a/y0", "b/z0", "b/z1", "a/y1"]) {
      const [outer = "", inner = ""] = name.split("/")
      add(name, [lane(outer), lane(inner[0] ?? "")])
    }
    expect(drain()).toEqual(["a/x0", "a/x1", "b/z0", "a/y0", "b/z1", "a/x2", "a/y1"])
  })

  it("go to the lane with the fewest running tasks, however long another has waited", () => {
    const { add, begun, end } = worksIn({ atOnce: 2 })
    for (const name of ["a0", "a1", "a2", "b0"]) add(name, [lane(name[0] ?? "")])
    end("a0")
    end("a1")
    expect(begun).toEqual(["a0", "a1", "b0", "a2"])
  })

  it("of a lane that returns come after those that wait", () => {
    const { add, begun, end } = worksIn({ atOnce: 1 })
    add("a0", [lane("a")])
    add("b0", [lane("b")])
    add("a1", [lane("a")])
    end("a0")
    end("b0")
    expect(begun).toEqual(["a0", "b0", "a1"])
  })

  it("end once, even if `end` is called repeatedly", () => {
    const { add, begun, end } = worksIn({ atOnce: 1 })
    for (const name of ["a0", "a1", "a2"]) add(name, [lane("a")])
    end("a0")
    end("a0")
    expect(begun).toEqual(["a0", "a1"])
  })
})

describe("tasks that end as soon as they begin", () => {
  it("run one after the other, however many there are", () => {
    const queue = new FairQueue({ atOnce: 1 })
    let end = () => {}
    queue.enter([lane("a")], { begin: (ended) => (end = ended), refuse: () => {} })
    let done = 0
    for (let i = 0; i < 20_000; i++) {
      queue.enter([lane("a")], {
        begin: (ended) => {
          done++
          ended()
        },
        refuse: () => {}
      })
    }
    end()
    expect(done).toBe(20_000)
  })
})

describe("at once", () => {
  it("run as many tasks as the queue allows, and in a lane as many as the lane allows", () => {
    const { add, begun, end } = worksIn({ atOnce: 3 })
    for (const name of ["a0", "a1", "a2", "b0", "b1"]) add(name, [lane(name[0] ?? "", { atOnce: 1 })])
    expect(begun).toEqual(["a0", "b0"])
    for (const name of ["c0", "d0"]) add(name, [lane(name[0] ?? "", { atOnce: 1 })])
    expect(begun).toEqual(["a0", "b0", "c0"])
    end("c0")
    expect(begun).toEqual(["a0", "b0", "c0", "d0"])
    end("d0")
    expect(begun).toEqual(["a0", "b0", "c0", "d0"])
    end("a0")
    expect(begun).toEqual(["a0", "b0", "c0", "d0", "a1"])
  })
})

describe("places", () => {
  it("count by size; a task too large for its lane is refused, and nobody else loses a place", () => {
    const { add, refused } = worksIn({ atOnce: 1, waiting: 100 })
    const a = [lane("a", { waiting: 10 })]
    add("under way", a, 10)
    add("a0", a, 6)
    add("b0", [lane("b")], 20)
    add("a1", a, 5)
    add("a2", a, 4)
    expect(refused).toEqual(["a1"])
  })

  it("that are full: the newest of the largest lane lose theirs until there is room", () => {
    const { add, drain, refused } = worksIn({ atOnce: 1, waiting: 10 })
    for (const [name, size] of [
      ["under way", 1],
      ["a0", 3],
      ["a1", 2],
      ["a2", 2],
      ["b0", 3]
    ] as const) {
      add(name, [lane(name[0] ?? "")], size)
    }
    add("c0", [lane("c")], 3)
    expect(refused).toEqual(["a2", "a1"])
    expect(drain()).toEqual(["under way", "a0", "b0", "c0"])
  })

  it("that are full: the new task is refused if it makes its lane the largest", () => {
    const { add, refused } = worksIn({ atOnce: 1, waiting: 6 })
    add("under way", [lane("u")])
    add("a0", [lane("a")], 2)
    add("b0", [lane("b")], 4)
    add("b1", [lane("b")], 1)
    expect(refused).toEqual(["b1"])
  })

  it("that are full in a lane and in the queue: only the lane loses one", () => {
    const { add, refused } = worksIn({ atOnce: 1, waiting: 6 })
    add("under way", [lane("u")])
    for (const name of ["a0", "a1", "a2", "a3"]) add(name, [lane("a")])
    for (const name of ["b0", "b1", "b2"]) add(name, [lane("b", { waiting: 2 })])
    expect(refused).toEqual(["b2"])
  })

  it("a task that leaves makes room and never begins; a running task cannot leave", () => {
    const { add, begun, drain, refused } = worksIn({ atOnce: 1 })
    const a = [lane("a", { waiting: 1 })]
    const stays = add("under way", a)
    const leave = add("goes", a)
    leave()
    leave()
    stays()
    add("comes", a)
    add("one too many", a)
    expect([begun, refused]).toEqual([["under way"], ["one too many"]])
    expect(drain()).toEqual(["under way", "comes"])
  })

  it("are all lost when all are refused; running tasks continue", () => {
    const { add, begun, queue, refused } = worksIn({ atOnce: 1 })
    for (const name of ["a0", "a1", "b0"]) add(name, [lane(name[0] ?? "")])
    queue.refuseAll()
    expect([begun, refused.toSorted()]).toEqual([["a0"], ["a1", "b0"]])
  })
})

/** Runs all fibers until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 20)

describe("an effect in its turn", () => {
  it.effect("fails if it waits too long; one that has begun continues", () =>
    Effect.gen(function* () {
      const queue = new FairQueue({ atOnce: 1, timeout: 30_000 })
      const end = yield* Deferred.make<void>()
      const first = yield* Effect.fork(queue.inTurn([lane("a")], Deferred.await(end)))
      const second = yield* Effect.fork(Effect.either(queue.inTurn([lane("b")], Effect.void)))
      yield* settle
      yield* TestClock.adjust("31 seconds")
      expect(yield* Fiber.join(second)).toEqual(Either.left(new NoTurn()))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      expect(yield* queue.inTurn([lane("c")], Effect.succeed("done"))).toBe("done")
    })
  )

  it.effect("that is interrupted while it waits frees its place and does nothing", () =>
    Effect.gen(function* () {
      const queue = new FairQueue({ atOnce: 1, waiting: 1 })
      const end = yield* Deferred.make<void>()
      const first = yield* Effect.fork(queue.inTurn([lane("a")], Deferred.await(end)))
      yield* settle
      let done = 0
      const work = Effect.sync(() => ++done)
      for (let time = 0; time < 3; time++) {
        const waits = yield* Effect.fork(queue.inTurn([lane("b")], work))
        yield* settle
        yield* Fiber.interrupt(waits)
      }
      const last = yield* Effect.fork(queue.inTurn([lane("b")], work))
      yield* settle
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
      expect([yield* Fiber.join(last), done]).toEqual([1, 1])
    })
  )

  it.effect("is dropped if its client disconnects", () =>
    Effect.gen(function* () {
      const queue = new FairQueue({ atOnce: 1 })
      const end = yield* Deferred.make<void>()
      const first = yield* Effect.fork(queue.inTurn([lane("a")], Deferred.await(end)))
      yield* settle
      const client = new AbortController()
      const ofClient = {
        id: "none",
        clientAddress: () => "",
        isDirect: () => true,
        gone: () => client.signal,
        setIdleTimeout: () => {}
      }
      const waits = Effect.either(queue.inTurn([lane("b")], Effect.succeed("done")))
      const alone = yield* Effect.fork(Effect.provideService(waits, CurrentRequest, ofClient))
      yield* settle
      client.abort()
      expect(yield* Fiber.join(alone)).toEqual(Either.left(new NoTurn()))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(first)
    })
  )

  it.effect("that fails, dies or is interrupted ends its turn", () =>
    Effect.gen(function* () {
      const queue = new FairQueue({ atOnce: 1 })
      const inTurn = <A, E>(work: Effect.Effect<A, E>) => queue.inTurn([lane("a")], work)
      expect(yield* Effect.flip(inTurn(Effect.fail("no")))).toBe("no")
      yield* Effect.exit(inTurn(Effect.die("broken")))
      const fiber = yield* Effect.fork(inTurn(Effect.never))
      yield* settle
      yield* Fiber.interrupt(fiber)
      expect(yield* inTurn(Effect.succeed("next"))).toBe("next")
    })
  )
})
