import { Effect, Redacted, type Scope } from "effect"
import { background } from "../../shared/background.ts"
import { Timing } from "../../shared/timing.ts"
import type { Over, Plan, Standing } from "./model.ts"
import type { Run, Script, ServerState } from "./redis-server.ts"
import { RedisServers } from "./redis-servers.ts"
import { slotCount, slotMillis, windowMillis } from "./window-model.ts"

/** How many calls a slow server may owe a reply before further ones are not sent to it: what waits takes memory. */
const mostOwed = 5_000

/** Milliseconds for which a month's count is kept after its last call. */
const monthLife = 40 * 86_400_000

/**
 * Takes from both limits or from neither. Counts towards both, even if the plan has only one or none. KEYS: the window (a hash: the count
 * of each slot, `sum`, `oldest`), the month's count. ARGV: requests per minute and per month (0: unlimited), and how many requests of the
 * month the caller knows of: a lower bound, which restores a lost count. Returns {0 admitted, 1 over the rate, 2 over the month; requests
 * in the window; milliseconds until the first leaves it; requests in the month; the slot of the window}. Uses the clock of Redis. If it was
 * set back, or that of a new master is behind, requests count in the oldest slot: before it, they would never leave the window, and the
 * search for the next slot would never end. If counts do not add up to the sum, it ends behind the current slot.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slot = math.floor(now / ${slotMillis})
local perMinute, perMonth = tonumber(ARGV[1]), tonumber(ARGV[2])
local state = redis.call('HMGET', KEYS[1], 'sum', 'oldest')
local sum, oldest = tonumber(state[1] or 0), tonumber(state[2] or slot)
if oldest > slot + ${slotCount} then
  redis.call('DEL', KEYS[1])
  sum, oldest = 0, slot
end
local last = slot - ${slotCount}
local moved = false
while sum > 0 do
  local count = tonumber(redis.call('HGET', KEYS[1], oldest) or 0)
  if count > 0 and oldest > last then break end
  if count > 0 then redis.call('HDEL', KEYS[1], oldest) end
  sum, oldest, moved = sum - count, oldest + 1, true
  if count == 0 and oldest > slot + 1 then
    redis.call('DEL', KEYS[1])
    sum, moved = 0, false
  end
end
if sum == 0 then oldest = slot end
slot = math.max(slot, oldest)
if moved then redis.call('HSET', KEYS[1], 'sum', sum, 'oldest', oldest) end
local month = math.max(tonumber(redis.call('GET', KEYS[2]) or 0), tonumber(ARGV[3]))
local over = 0
if perMonth > 0 and month >= perMonth then over = 2 elseif perMinute > 0 and sum >= perMinute then over = 1 end
if over == 0 then
  sum, month = sum + 1, month + 1
  redis.call('HINCRBY', KEYS[1], slot, 1)
  redis.call('HSET', KEYS[1], 'sum', sum, 'oldest', oldest)
  redis.call('PEXPIRE', KEYS[1], ${windowMillis + 2 * slotMillis})
  redis.call('SET', KEYS[2], string.format('%.0f', month), 'PX', ${monthLife})
end
local wait = 0
if sum > 0 then wait = math.max(0, (oldest + ${slotCount}) * ${slotMillis} - now) end
return {over, sum, wait, month, slot}`

/** Gives one request back to the month, if the month is still counted. */
const giveBackScript = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end`

/** Takes a request out of both again, as far as it still counts. KEYS as above; ARGV: the slot of the window. */
const takeBackScript = `
if tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0) > 0 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
  redis.call('HINCRBY', KEYS[1], 'sum', -1)
end
if tonumber(redis.call('GET', KEYS[2]) or 0) > 0 then redis.call('DECR', KEYS[2]) end`

const script = (text: string): Script => ({
  text,
  sha: new Bun.CryptoHasher("sha1").update(text).digest("hex")
})

const take = script(takeScript)
const giveBack = script(giveBackScript)
const takeBack = script(takeBackScript)

/** An account by its name, and a month by its first day. */
interface Counted {
  readonly name: string
  readonly month: number
}

/** What Redis says of a call. `takeBack` undoes what it counted, for a call that was refused after all. */
interface SharedAnswer extends Omit<Standing, "monthWait"> {
  readonly over: Over | undefined
  readonly takeBack: () => void
}

/** Counts that all processes share, in Redis. */
export interface SharedCounts {
  /** The state of the server that counts the account. Ask `take` if it is `up`, and `tell` if it is `slow`. */
  readonly stateOf: (account: string) => ServerState
  /** The share of accounts whose server can be asked, 0 to 1. */
  readonly reachable: () => number
  /** What is wrong, for people; undefined if nothing is. */
  readonly problem: () => string | undefined
  /** What counts, for people. */
  readonly description: () => string
  /**
   * Undefined if there was no reply in time: the caller then decides without it. If one comes later, `late` gets it.
   */
  readonly take: (
    counted: Counted,
    plan: Plan,
    usedAtLeast: number,
    late: (answer: SharedAnswer) => void
  ) => Promise<SharedAnswer | undefined>
  /** Lets Redis count a call that is decided already, and waits for nothing. */
  readonly tell: (
    counted: Counted,
    plan: Plan,
    usedAtLeast: number,
    late: (answer: SharedAnswer) => void
  ) => void
  readonly giveBack: (counted: Counted) => void
}

const overs: ReadonlyArray<Over | undefined> = [undefined, "rate_limited", "quota_exceeded"]

const isReply = (reply: unknown): reply is readonly [number, number, number, number, number] =>
  Array.isArray(reply) && reply.length === 5 && reply.every((item) => typeof item === "number")

// One hash tag, so that a cluster stores both on one node.
const windowKey = (name: string) => `doorlock:limits:{${name}}:minute`
const monthKey = ({ name, month }: Counted) => `doorlock:limits:{${name}}:month:${month}`

const takeRun = (
  counted: Counted,
  { requestsPerMinute, requestsPerMonth }: Plan,
  usedAtLeast: number
): Run => ({
  script: take,
  keys: [windowKey(counted.name), monthKey(counted)],
  args: [String(requestsPerMinute ?? 0), String(requestsPerMonth ?? 0), String(usedAtLeast)]
})

/** Counts in the server or cluster of `urls`. Connects, and reconnects by itself, until the scope ends. Never fails. */
export const sharedCounts = (
  urls: ReadonlyArray<Redacted.Redacted>
): Effect.Effect<SharedCounts, never, Scope.Scope> =>
  Effect.gen(function* () {
    const timing = yield* Timing
    const servers = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new RedisServers(
            urls.map((url) => new URL(Redacted.value(url))),
            [take, giveBack, takeBack],
            timing
          )
      ),
      (open) => Effect.sync(() => open.close())
    )
    yield* Effect.promise(() => servers.open())

    let told: string | undefined
    const look = Effect.suspend(() => {
      servers.look()
      const problem = servers.problem
      if ((problem === undefined) === (told === undefined)) return Effect.void
      told = problem
      return problem === undefined
        ? Effect.logInfo("Redis counts the limits of plans again")
        : Effect.logWarning(
            `Each process counts limits of plans on its own until Redis can be used: ${problem}`
          )
    })
    yield* background("marketplace.redis", "Redis cannot be looked after", look)

    const answerOf = (reply: unknown, counted: Counted): SharedAnswer | undefined => {
      if (!isReply(reply)) return undefined
      const [over, inMinute, minuteWait, inMonth, slot] = reply
      return {
        over: overs[over],
        inMinute,
        minuteWait,
        inMonth,
        takeBack: () =>
          servers.tell({
            script: takeBack,
            keys: [windowKey(counted.name), monthKey(counted)],
            args: [String(slot)]
          })
      }
    }
    const answering = (counted: Counted, late: (answer: SharedAnswer) => void) => (reply: unknown) => {
      const answer = answerOf(reply, counted)
      if (answer !== undefined) late(answer)
    }

    return {
      stateOf: (account) => servers.stateOf(windowKey(account)),
      reachable: () => servers.reachable,
      problem: () => servers.problem,
      description: () => servers.description,

      take: async (counted, plan, usedAtLeast, late) =>
        answerOf(await servers.ask(takeRun(counted, plan, usedAtLeast), answering(counted, late)), counted),

      tell: (counted, plan, usedAtLeast, late) => {
        if (servers.owedFor(windowKey(counted.name)) >= mostOwed) return
        servers.tell(takeRun(counted, plan, usedAtLeast), answering(counted, late))
      },

      // If one is lost, the month's count stays one too high.
      giveBack: (counted) => {
        if (servers.owedFor(windowKey(counted.name)) >= mostOwed) return
        servers.tell({ script: giveBack, keys: [monthKey(counted)], args: [] })
      }
    }
  })
