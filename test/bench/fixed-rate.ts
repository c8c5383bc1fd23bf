/** Latency at a fixed rate, independent of the response time. */
import { connect, type Socket } from "node:net"
import type { Call } from "./load.ts"

export interface Latencies {
  readonly p50Millis: number
  readonly p99Millis: number
}

const requestText = ({ headers = {}, method = "GET", url }: Call): string => {
  const { host, pathname, search } = new URL(url)
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return `${lines.join("\r\n")}\r\n\r\n`
}

/** A connection that sends one request at a time, and reports the end of each response. */
class Caller {
  readonly #socket: Socket
  #answered: (() => void) | undefined
  #received = ""

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname)
    this.#socket.setNoDelay(true)
    this.#socket.setEncoding("latin1")
    this.#socket.on("data", (chunk: string) => {
      this.#received += chunk
      const end = this.#received.indexOf("\r\n\r\n")
      if (end === -1) return
      const length = Number(/content-length: *(\d+)/i.exec(this.#received.slice(0, end))?.[1] ?? 0)
      if (this.#received.length < end + 4 + length) return
      if (!this.#received.startsWith("HTTP/1.1 200")) throw new Error(this.#received.slice(0, end))
      this.#received = ""
      this.#answered?.()
    })
  }

  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#answered = resolve
      this.#socket.write(text)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

/**
 * Sends `rate` requests a second for `seconds`, each at its due time on a free connection. Measures from the due time, so
 * that a slow response that delays the next request still shows (coordinated omission).
 */
export const atFixedRate = async (call: Call, rate: number, seconds: number): Promise<Latencies> => {
  const text = requestText(call)
  const callers = Array.from({ length: 64 }, () => new Caller(new URL(call.url)))
  const free = [...callers]
  const waiting: Array<() => void> = []
  const latencies: Array<number> = []
  const one = async (due: number) => {
    if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const caller = free.pop()
    if (caller === undefined) throw new Error("A connection was free and is not")
    await caller.send(text)
    latencies.push(performance.now() - due)
    free.push(caller)
    waiting.shift()?.()
  }
  const started = performance.now()
  const sent: Array<Promise<void>> = []
  for (let index = 0; index < rate * seconds; index++) {
    const due = started + (index / rate) * 1000
    // The timer is accurate to a millisecond: overdue requests are sent at once, and their delay counts.
    while (performance.now() < due) await Bun.sleep(0)
    sent.push(one(due))
  }
  await Promise.all(sent)
  for (const caller of callers) caller.close()
  latencies.sort((left, right) => left - right)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
  return { p50Millis: percentile(0.5), p99Millis: percentile(0.99) }
}
