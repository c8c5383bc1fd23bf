/** Works on many items, a few at a time. */
import { useEffect, useRef, useState } from "preact/hooks"
import { failureOf } from "./call.ts"

/** Fewer than the six connections that HTTP/1.1 allows, so that the page stays usable. */
const atOnce = 4

interface Batch<Item> {
  readonly total: number
  /** How many have been worked on, with success or without. */
  readonly done: number
  readonly failed: ReadonlyArray<{ readonly item: Item; readonly message: string }>
  readonly state: "running" | "stopping" | "over"
}

/**
 * `batch` is undefined until `start`. `stop` lets the requests that are under way end, so that it is known what happened to each item,
 * and starts no other. Leaving the page stops, too.
 */
export const useBatch = <Item>(work: (item: Item) => Promise<unknown>) => {
  const [batch, setBatch] = useState<Batch<Item>>()
  const stopped = useRef(false)
  const halt = () => {
    stopped.current = true
  }
  useEffect(() => halt, [])
  const change = (by: (known: Batch<Item>) => Partial<Batch<Item>>) =>
    setBatch((known) => (known === undefined ? known : { ...known, ...by(known) }))

  const start = async (items: ReadonlyArray<Item>) => {
    setBatch({ total: items.length, done: 0, failed: [], state: "running" })
    const waiting = items.values()
    const worker = async () => {
      // A `for` loop would close the iterator for the other workers.
      while (!stopped.current) {
        const { done, value: item } = waiting.next()
        if (done) return
        const failure = await work(item).then(() => undefined, failureOf)
        change((known) => ({
          done: known.done + 1,
          failed: failure === undefined ? known.failed : [...known.failed, { item, message: failure.message }]
        }))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    change(() => ({ state: "over" }))
  }

  const stop = () => {
    halt()
    change(() => ({ state: "stopping" }))
  }

  return { batch, start, stop }
}
