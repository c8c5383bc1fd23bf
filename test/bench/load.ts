/** Load and its cost: `wrk` at full speed, and the server's CPU time. */
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** One request of a call. */
export interface Request {
  readonly path: string
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The request or requests to repeat. */
export interface Call {
  readonly url: string
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * Replaces the single request: these are sent in turn. A function prepares requests that can be sent only once, enough for so many
   * seconds. It is called before each measurement, which fails if they run out.
   */
  readonly each?: ReadonlyArray<Request> | ((seconds: number) => Promise<ReadonlyArray<Request>>)
  /** Whether every response must be a refusal (4xx). Otherwise no response may be one. */
  readonly refused?: true
}

export interface Measured {
  readonly requestsPerSecond: number
  /** CPU time of the server's processes per request, user and system. */
  readonly cpuMicros: number
  readonly p50Millis: number
  readonly p99Millis: number
}

/** Clock ticks per second in `/proc/<pid>/stat`, on every Linux that Bun supports. */
const ticksPerSecond = 100

/** The CPU time that a process has used, in microseconds. */
export const cpuMicros = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The process name before the parenthesis may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6
}

/** How many connections send requests at once. */
const connections = 32

/** A request as bytes on the wire. */
const requestText = ({ host }: URL, { body, headers = {}, method = "GET", path }: Request): string => {
  const fields = Object.entries({
    host,
    ...headers,
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) })
  })
  const lines = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`
}

/** Makes `wrk` send the requests in a file in turn. A line before each request gives its length in bytes. */
const luaEach = (file: string): ReadonlyArray<string> => [
  `local file = io.open(${JSON.stringify(file)}, "rb")`,
  "local requests, at = {}, 0",
  "for length in file:lines() do requests[#requests + 1] = file:read(tonumber(length)) end",
  "file:close()",
  "function request()",
  "  at = at % #requests + 1",
  "  return requests[at]",
  "end"
]

const lua = ({ body, headers = {}, method = "GET" }: Call): string =>
  [
    `wrk.method = ${JSON.stringify(method)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`
    ),
    ...(body === undefined ? [] : [`wrk.body = ${JSON.stringify(body)}`]),
    "function done(summary, latency)",
    '  io.write(string.format("result %d %d %d %d %d %d\\n", summary.requests, summary.duration,',
    "    latency:percentile(50), latency:percentile(99), summary.errors.status,",
    "    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))",
    "end"
  ].join("\n")

/**
 * Repeats a call as fast as the server answers, over all connections at once.
 *
 * @param pids the server's processes, for its CPU time
 * @throws when a response is not the expected one
 */
export const fullSpeed = async (
  call: Call,
  pids: ReadonlyArray<number>,
  seconds: number
): Promise<Measured> => {
  const folder = await mkdtemp(join(tmpdir(), "doorlock-bench-"))
  try {
    const script = join(folder, "call.lua")
    const lines = [lua(call)]
    const each = typeof call.each === "function" ? await call.each(seconds) : call.each
    if (each !== undefined) {
      const file = join(folder, "requests")
      const texts = each.map((request) => requestText(new URL(call.url), request))
      await writeFile(file, texts.map((text) => `${Buffer.byteLength(text)}\n${text}`).join(""))
      lines.push(...luaEach(file))
    }
    await writeFile(script, lines.join("\n"))
    const cpu = () => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)
    const before = cpu()
    const child = Bun.spawn(
      ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "5s", "-s", script, call.url],
      {
        stdout: "pipe",
        stderr: "inherit"
      }
    )
    const output = await new Response(child.stdout).text()
    await child.exited
    const spent = cpu() - before
    const found = /^result (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(output)
    if (found === null) throw new Error(`wrk did not say what it measured:\n${output}`)
    const [requests = 0, micros = 1, p50 = 0, p99 = 0, refused = 0, broken = 0] = found.slice(1).map(Number)
    // A wrong response must not count as a fast one.
    if (broken > 0 || refused !== (call.refused ? requests : 0)) {
      throw new Error(`Of ${requests} answers of ${call.url}, ${refused} were refusals and ${broken} failed`)
    }
    if (typeof call.each === "function" && each !== undefined && requests > each.length - connections) {
      throw new Error(`${each.length} requests to ${call.url} are too few for ${seconds} s: prepare more`)
    }
    return {
      requestsPerSecond: (requests / micros) * 1e6,
      cpuMicros: spent / requests,
      p50Millis: p50 / 1000,
      p99Millis: p99 / 1000
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

const medians = (runs: ReadonlyArray<Measured>): Measured => {
  const of = (name: keyof Measured) => median(runs.map((run) => run[name]))
  return {
    requestsPerSecond: of("requestsPerSecond"),
    cpuMicros: of("cpuMicros"),
    p50Millis: of("p50Millis"),
    p99Millis: of("p99Millis")
  }
}

/** One of the two servers to compare. */
export interface Contender {
  readonly pids: ReadonlyArray<number>
  readonly call: Call
}

/** Responses after which a server is warm: by then its hot code is compiled, even in the larger server. */
const warmAnswers = 40_000

/** The most seconds that a warm-up may take. */
const warmSeconds = 15

const warmUp = async ({ call, pids }: Contender): Promise<void> => {
  const until = performance.now() + warmSeconds * 1000
  for (let answers = 0; answers < warmAnswers && performance.now() < until; ) {
    answers += (await fullSpeed(call, pids, 2)).requestsPerSecond * 2
  }
}

/**
 * Measures two servers in turn, so that other load on the machine affects both alike. Returns the medians of all rounds.
 * Warms up each server first.
 */
export const inTurn = async (
  ours: Contender,
  theirs: Contender,
  rounds: number,
  seconds: number
): Promise<{ readonly ours: Measured; readonly theirs: Measured }> => {
  const once = ({ call, pids }: Contender) => fullSpeed(call, pids, seconds)
  await warmUp(ours)
  await warmUp(theirs)
  const runs = { ours: [] as Measured[], theirs: [] as Measured[] }
  for (let round = 0; round < rounds; round++) {
    runs.ours.push(await once(ours))
    runs.theirs.push(await once(theirs))
  }
  return { ours: medians(runs.ours), theirs: medians(runs.theirs) }
}
