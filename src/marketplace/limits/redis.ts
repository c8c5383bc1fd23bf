import { Context, Effect, Redacted, type Scope } from "effect"
import type { Over, Plan, Standing } from "./model.ts"
import { slotCount, slotMillis, windowMillis } from "./window-model.ts"

/** Milliseconds after which Redis counts as lost, for a reply and for a connection. */
export class RedisTimeout extends Context.Reference<RedisTimeout>()("doorlock/marketplace/RedisTimeout", {
  defaultValue: () => ({ answer: 500, connect: 1_000 })
}) {}

/** In milliseconds. */
const reconnectInterval = 250

/** Milliseconds for which a month's count is kept after its last call. */
const monthLife = 40 * 86_400_000

/**
 * Takes from both limits or from neither. Counts towards both, even if the plan has only one or none. KEYS: the window (a hash: the count
 * of each slot, `sum`, `oldest`), the month's count. ARGV: requests per minute and per month (0: unlimited), and how many requests of the
 * month the caller knows of: a lower bound, which restores a lost count. Returns {0 admitted, 1 over the rate, 2 over the month; requests
 * in the window; milliseconds until the first leaves it; requests in the month}. Uses the clock of Redis.
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
end
if sum == 0 then oldest = slot end
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
return {over, sum, wait, month}`

/** Gives one request back to the month, if the month is still counted. */
const giveBackScript = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end`

interface Script {
  readonly text: string
  readonly sha: string
}

const script = (text: string): Script => ({
  text,
  sha: new Bun.CryptoHasher("sha1").update(text).digest("hex")
})

const take = script(takeScript)
const giveBack = script(giveBackScript)

/** An account by its name, and a month by its first day. */
interface Counted {
  readonly name: string
  readonly month: number
}

type SharedAnswer = Omit<Standing, "monthWait"> & { readonly over: Over | undefined }

/** Counts that all processes share, in Redis. */
export interface SharedCounts {
  /** Whether a query can succeed. */
  readonly isUp: () => boolean
  /** Undefined if there was no reply in time; the caller must then decide without it. */
  readonly take: (counted: Counted, plan: Plan, usedAtLeast: number) => Promise<SharedAnswer | undefined>
  readonly giveBack: (counted: Counted) => void
}

const overs: ReadonlyArray<Over | undefined> = [undefined, "rate_limited", "quota_exceeded"]

const isAnswer = (answer: unknown): answer is readonly [number, number, number, number] =>
  Array.isArray(answer) && answer.length === 4 && answer.every((item) => typeof item === "number")

// One hash tag, so that a cluster stores both on one node.
const windowKey = ({ name }: Counted) => `doorlock:limits:{${name}}:minute`
const monthKey = ({ name, month }: Counted) => `doorlock:limits:{${name}}:month:${month}`

/**
 * Reconnects by itself, as Bun gives up after some tries. Never fails. Slow replies (`RedisTimeout`) count
 * as loss. Calls must not wait for a connection, so Bun's offline queue is off.
 */
export const sharedCounts = (url: Redacted.Redacted): Effect.Effect<SharedCounts, never, Scope.Scope> =>
  Effect.gen(function* () {
    const timeout = yield* RedisTimeout
    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Bun.RedisClient(Redacted.value(url), {
            autoReconnect: false,
            enableOfflineQueue: false,
            connectionTimeout: timeout.connect
          })
      ),
      (open) => Effect.sync(() => open.close())
    )

    let up = false
    const giveUp = () => {
      up = false
      // Fails the pending commands, so the next connection starts without a backlog.
      client.close()
    }

    const ask = async (command: string, args: ReadonlyArray<string>): Promise<unknown> => {
      const timer = setTimeout(giveUp, timeout.answer)
      try {
        return await client.send(command, [...args])
      } finally {
        clearTimeout(timer)
      }
    }
    const run = async ({ sha, text }: Script, keys: ReadonlyArray<string>, args: ReadonlyArray<string>) => {
      const rest = [String(keys.length), ...keys, ...args]
      try {
        return await ask("EVALSHA", [sha, ...rest]).catch((error: unknown) => {
          // Redis was restarted, or its scripts were flushed.
          if (error instanceof Error && error.message.startsWith("NOSCRIPT"))
            return ask("EVAL", [text, ...rest])
          throw error
        })
      } catch {
        giveUp()
        return undefined
      }
    }

    // Also checks that writes succeed: a replica or a full server replies but is useless.
    const connect = Effect.tryPromise(async () => {
      await client.connect()
      await ask("SET", ["doorlock:limits:probe", "1", "PX", "1000"])
      // Otherwise the first EVALSHA would be retried, and could arrive after commands sent later.
      for (const { text } of [take, giveBack]) await ask("SCRIPT", ["LOAD", text])
      up = true
    }).pipe(Effect.tapError(() => Effect.sync(giveUp)))

    let silent = false
    const connectAgain = Effect.gen(function* () {
      if (up && client.connected) return
      if (!silent) {
        yield* Effect.logWarning(
          "Redis does not answer; the limits of plans are counted in this process until it does"
        )
      }
      silent = true
      yield* connect
      silent = false
      yield* Effect.logInfo("Redis answers again")
    }).pipe(Effect.catchAll((error) => Effect.logDebug("Redis does not answer", error)))
    yield* Effect.ignore(connect)
    yield* Effect.forkScoped(Effect.forever(Effect.delay(connectAgain, reconnectInterval)))

    return {
      isUp: () => up && client.connected,

      take: async (counted, { requestsPerMinute, requestsPerMonth }, usedAtLeast) => {
        const answer = await run(
          take,
          [windowKey(counted), monthKey(counted)],
          [String(requestsPerMinute ?? 0), String(requestsPerMonth ?? 0), String(usedAtLeast)]
        )
        if (!isAnswer(answer)) return undefined
        const [over, inMinute, minuteWait, inMonth] = answer
        return { over: overs[over], inMinute, minuteWait, inMonth }
      },

      // If one is lost, the month's count stays one too high.
      giveBack: (counted) => void run(giveBack, [monthKey(counted)], [])
    }
  })
