/** How pages of the dashboard get their data: when they ask, what stays meanwhile, and what a list is when the user returns to it. */
import type { ComponentChildren, VNode } from "preact"
import { beforeEach, describe, expect, it, vi } from "vitest"
import {
  answering,
  happens,
  passes,
  refusal,
  seen,
  settles,
  used,
  withoutBrowser
} from "../support/web/page.ts"

withoutBrowser()
const { ApiFailure, doorlock } = await import("../../src/web/dashboard/common/call.ts")
const { useIsLost, useLive } = await import("../../src/web/dashboard/common/live.ts")
const { usePages, useResource } = await import("../../src/web/dashboard/common/resource.tsx")
const places = await import("../../src/web/dashboard/common/places.ts")
const { useBatch } = await import("../../src/web/dashboard/common/batch.ts")

describe("a live page", () => {
  /** The seconds at which it asked, and what it is answered. */
  const live = async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5)
    const answer: { status: number | undefined } = { status: undefined }
    const asked: Array<number> = []
    const began = Date.now()
    const part = await used(() =>
      useLive(async () => {
        asked.push((Date.now() - began) / 1000)
        await Promise.resolve()
        return answer.status === undefined ? undefined : new ApiFailure(answer.status, "no")
      })
    )
    const notice = await used(useIsLost)
    return { answer, asked, isLost: () => notice.now, part }
  }

  it.each([0, 500, 503])(
    "asks more and more rarely while the answer is %i, says so, and goes on",
    async (status) => {
      const { answer, asked, isLost, part } = await live()
      await passes(4_000)
      expect(isLost()).toBe(false)
      answer.status = status
      await passes(2_000)
      expect(isLost()).toBe(true)
      await passes(180_000)
      answer.status = undefined
      await passes(60_000)
      expect(isLost()).toBe(false)
      await passes(4_000)
      const pauses = asked.map((at, index) => at - (asked[index - 1] ?? 0))
      expect(pauses).toEqual([2, 2, 2, 4, 8, 16, 32, 60, 60, 60, 2, 2])
      answer.status = status
      await passes(2_000)
      expect(isLost()).toBe(true)
      // Another page says nothing of it.
      part.unmount()
      await passes(60_000)
      expect(isLost()).toBe(false)
      expect(asked).toHaveLength(13)
    }
  )

  it("asks nothing in a hidden tab, and at once when it is shown or online again", async () => {
    const { answer, asked } = await live()
    seen("hidden")
    await passes(60_000)
    expect(asked).toEqual([])
    seen("visible")
    await passes(2_000)
    expect(asked).toEqual([60, 62])
    answer.status = 0
    await passes(60_000)
    happens("online")
    await settles()
    expect(asked.at(-1)).toBe(122)
  })
})

interface Row {
  readonly id: string
}

const rows = (...ids: ReadonlyArray<number>) => ids.map((id) => ({ id: String(id) }))

/** From one number down to another. */
const down = (from: number, to: number) =>
  rows(...Array.from({ length: from - to + 1 }, (_, index) => from - index))

describe("a resource", () => {
  /** What is loaded, in the order in which it was asked for: each waits for its answer. */
  const loading = async (options = {}) => {
    const asked: Array<{ readonly of: string; readonly signal: AbortSignal } & PromiseWithResolvers<string>> =
      []
    const page = { of: "a" }
    const part = await used(() =>
      useResource(
        (signal) => {
          const one = { of: page.of, signal, ...Promise.withResolvers<string>() }
          asked.push(one)
          return one.promise
        },
        [page.of],
        options
      )
    )
    const go = async (of: string) => {
      page.of = of
      await part.again()
    }
    const answer = async (index: number, value: string | InstanceType<typeof ApiFailure>) => {
      if (value instanceof ApiFailure) asked[index]?.reject(value)
      else asked[index]?.resolve(value)
      await settles()
    }
    const state = () => {
      const { failure, isOutdated, value } = part.now
      return { value, failure: failure?.status, isOutdated }
    }
    return { answer, asked, go, part, state }
  }

  it("is what was asked for last, whatever arrives", async () => {
    const { answer, asked, go, state } = await loading()
    await go("b")
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await answer(1, "of b")
    await answer(0, "of a")
    expect(state()).toMatchObject({ value: "of b" })
    await go("c")
    expect(state()).toMatchObject({ value: undefined })
    await answer(2, new ApiFailure(500, "no"))
    expect(state()).toMatchObject({ value: undefined, failure: 500 })
  })

  it("stays while it cannot be looked at again, unless there is none any more", async () => {
    const { answer, part, state } = await loading()
    await answer(0, "first")
    for (const [index, status, after] of [
      [1, 500, { value: "first", failure: undefined }],
      [2, 0, { value: "first", failure: undefined }],
      [3, 404, { value: undefined, failure: 404 }]
    ] as const) {
      const refreshed = part.now.refresh()
      await answer(index, new ApiFailure(status, "no"))
      expect(await refreshed).toMatchObject({ status })
      expect(state()).toMatchObject(after)
    }
    void part.now.reload()
    await answer(4, new ApiFailure(500, "no"))
    expect(state()).toMatchObject({ failure: 500 })
    void part.now.reload()
    await answer(5, "again")
    expect(state()).toMatchObject({ value: "again", failure: undefined })
  })
})

describe("a list", () => {
  beforeEach(() => places.enterPlace(1, "/list"))

  /** A server with so many rows, ten on a page, newest first. */
  const listing = async (count: number, of = "all") => {
    const server = { newest: count, isBroken: false, held: Promise.resolve(), next: Promise.resolve() }
    const load = vi.fn(async (cursor: string | undefined) => {
      await (cursor === undefined ? server.held : server.next)
      if (server.isBroken) throw new ApiFailure(500, "no")
      const first = cursor === undefined ? server.newest : Number(cursor)
      const last = Math.max(1, first - 9)
      return { items: down(first, last), next: last === 1 ? null : String(last - 1) }
    })
    const list = await used(() => usePages<Row>(load, [of]))
    const shown = () => list.now.value?.items.map(({ id }) => Number(id))
    const more = async () => {
      // The button that follows why it failed.
      const { children } = (list.now.more as VNode<{ children: Array<ComponentChildren> }>).props
      const button = children.at(-1) as VNode<{ onClick: () => void }>
      button.props.onClick()
      await settles()
    }
    const refresh = async () => {
      await list.now.refresh()
      await settles()
    }
    return { list, load, more, refresh, server, shown }
  }

  const numbers = (from: number, to: number) => down(from, to).map(({ id }) => Number(id))

  it("of one page has the newest rows, and does not grow; with more pages it grows", async () => {
    const { more, refresh, server, shown } = await listing(25)
    server.newest = 27
    await refresh()
    expect(shown()).toEqual(numbers(27, 18))
    await more()
    server.newest = 28
    await refresh()
    expect(shown()).toEqual(numbers(28, 8))
  })

  it("begins anew if rows in between would be missing", async () => {
    const { more, refresh, server, shown } = await listing(25)
    await more()
    server.newest = 36
    await refresh()
    expect(shown()).toEqual(numbers(36, 27))
    await more()
    expect(shown()).toEqual(numbers(36, 17))
  })

  describe("to which the user returns", () => {
    /** Two pages of a list that the user has left. */
    const left = async () => {
      const list = await listing(25)
      await list.more()
      list.list.unmount()
      await settles()
      return list
    }

    it("is there at once, and loaded again with as many rows; after a failure, too", async () => {
      const { load, server } = await left()
      places.enterPlace(2, "/row")
      places.returnToPlace(1, "/list")
      server.isBroken = true
      const list = await used(() => usePages<Row>(load, ["all"]))
      expect(list.now.value).toBeUndefined()
      expect(list.now.failure).toMatchObject({ status: 500 })
      server.isBroken = false
      server.newest = 26
      await list.now.reload()
      await settles()
      expect(list.now.value?.items).toEqual(down(26, 7))
      list.unmount()
      await settles()
      places.enterPlace(2, "/row")
      places.returnToPlace(1, "/list")
      server.held = new Promise(() => {})
      const known = await used(() => usePages<Row>(load, ["all"]))
      expect(known.now.value?.items).toEqual(down(26, 7))
    })

    it.each([
      ["another filter", () => {}, "others"],
      ["a sign-out", () => places.forgetPlaces(), "all"],
      [
        "twenty pages",
        () => {
          for (let position = 2; position <= 21; position++) places.enterPlace(position, "/row")
        },
        "all"
      ],
      ["a page that took its place in the history", () => places.enterPlace(1, "/row"), "all"]
    ])("is not shown after %s", async (_, happened, of) => {
      const { load, server } = await left()
      happened()
      places.returnToPlace(1, "/list")
      server.held = new Promise(() => {})
      const list = await used(() => usePages<Row>(load, [of]))
      expect(list.now.value).toBeUndefined()
    })
  })
})

describe("many items", () => {
  const working = async () => {
    const waiting = new Map<string, PromiseWithResolvers<void>>()
    const part = await used(() =>
      useBatch((item: string) => {
        const one = Promise.withResolvers<void>()
        waiting.set(item, one)
        return one.promise
      })
    )
    const ends = async (item: string, failure?: Error) => {
      if (failure === undefined) waiting.get(item)?.resolve()
      else waiting.get(item)?.reject(failure)
      await settles()
    }
    return { ends, part, begun: () => [...waiting.keys()] }
  }

  it("are worked on four at a time, and what fails is named", async () => {
    const { begun, ends, part } = await working()
    expect(part.now.batch).toBeUndefined()
    void part.now.start(["a", "b", "c", "d", "e"])
    await settles()
    expect(begun()).toEqual(["a", "b", "c", "d"])
    await ends("c", new ApiFailure(409, "Session is not updatable"))
    expect(begun()).toEqual(["a", "b", "c", "d", "e"])
    for (const item of ["a", "b", "d"]) await ends(item)
    expect(part.now.batch).toMatchObject({ total: 5, done: 4, state: "running" })
    await ends("e")
    const failed = [{ item: "c", message: "Session is not updatable" }]
    expect(part.now.batch).toEqual({ total: 5, done: 5, failed, state: "over" })
  })

  it("are left as they are after Stop, and after the page is left, but for those under way", async () => {
    const first = await working()
    void first.part.now.start(["a", "b", "c", "d", "e"])
    await settles()
    first.part.now.stop()
    await settles()
    expect(first.part.now.batch).toMatchObject({ done: 0, state: "stopping" })
    for (const item of ["a", "b", "c", "d"]) await first.ends(item)
    expect(first.part.now.batch).toMatchObject({ done: 4, state: "over" })
    expect(first.begun()).not.toContain("e")

    const second = await working()
    void second.part.now.start(["a", "b", "c", "d", "e"])
    await settles()
    second.part.unmount()
    await second.ends("a")
    expect(second.begun()).not.toContain("e")
  })
})

it("a call waits until the user has signed in again, and is then repeated", async () => {
  const { whenSignedOut } = await import("../../src/web/dashboard/common/call.ts")
  const answers = [refusal(401), refusal(401), { apiKeys: [] }]
  const asked = answering(() => answers.shift())
  const signIn = vi.fn(async () => {})
  whenSignedOut(signIn)
  expect(await doorlock.apiKeys.list()).toEqual({ apiKeys: [] })
  expect(asked).toHaveLength(3)
  expect(signIn).toHaveBeenCalledTimes(2)
  whenSignedOut(undefined)
  answering(() => refusal(401))
  await expect(doorlock.apiKeys.list()).rejects.toMatchObject({ status: 401 })
})
