import { Effect } from "effect"
import { newId } from "../shared/identifier.ts"
import { Timing } from "../shared/timing.ts"
import { HeldLane, laneName, type Slots } from "./held-lane.ts"
import type { WorkKind } from "./model.ts"
import { claimSize, WorkRepo } from "./repo.ts"

/** Jobs of a lane that are read at once. */
const pageSize = 64

/** Jobs for which their kinds read ahead at once, over all lanes in equal parts. */
const aheadInAll = 512

/**
 * The lanes that this process holds: takes due ones, reads their jobs, renews and releases them.
 *
 * @param started ids of the jobs that this process has started and not settled
 */
export const keeping = <R>(kinds: ReadonlyArray<WorkKind<R>>, slots: Slots, started: ReadonlySet<string>) =>
  Effect.zipWith(WorkRepo, Timing, (repo, { timeout }) => {
    const leaseMillis = timeout("work.lease")
    const holder = newId()
    const byName = new Map(kinds.map((kind) => [kind.name, kind]))
    const lanes = new Map<string, HeldLane<R>>()
    /** Whether there may be due lanes that nobody holds. */
    let mayClaim = true
    /** Whether there were more of them than this process could take. */
    let isCrowded = false
    /** The groups that had more of them than this process could take. */
    let crowded: ReadonlySet<string> = new Set()
    /** Those of them that the last claim met. The next one passes over them, so that lanes behind theirs are taken, too. */
    let met: ReadonlySet<string> = new Set()

    const forget = (lane: HeldLane<R>) => {
      lane.page = []
      if (lanes.get(lane.name) === lane) lanes.delete(lane.name)
    }

    /** While others wait, a lane has one page. */
    const hasHadItsTurn = (lane: HeldLane<R>) =>
      (isCrowded || crowded.has(lane.group)) && lane.hadPage && lane.isStale

    /** Lanes that wait for the first of their jobs to start, by group. */
    const waiting = () =>
      Map.groupBy(
        [...lanes.values()].filter(
          (lane) => lane.running + lane.unsettled === 0 && !(lane.page.length === 0 && hasHadItsTurn(lane))
        ),
        ({ group }) => group
      )

    /** Groups that have no slots for more lanes. */
    const fullGroups = (): ReadonlySet<string> => {
      const lanesOf = waiting()
      return new Set(
        [...lanesOf.keys(), ...slots.groups].filter(
          (group) => slots.roomOf(group) <= (lanesOf.get(group)?.length ?? 0)
        )
      )
    }

    /** Whether there are slots again for a group that had more lanes than this process could take. */
    const hasRoomAgain = () => crowded.size > 0 && !crowded.isSubsetOf(fullGroups())

    /** Lanes that this process cannot run, because their groups have no slots for them: of each group, those that were taken last. */
    const surplus = () => [...waiting()].flatMap(([group, ofGroup]) => ofGroup.slice(slots.roomOf(group)))

    /** Lanes of each kind that there are slots for. */
    const roomNow = () => {
      const idle = [...lanes.values()].filter(({ running }) => running === 0).length
      return Math.ceil(Math.min(claimSize, slots.free - idle) / kinds.length)
    }

    /** Gives lanes in which nothing runs to whichever process is next. */
    const giveBack = (done: ReadonlyArray<HeldLane<R>>) =>
      done.length === 0
        ? Effect.void
        : Effect.map(
            repo.giveBack(
              holder,
              done.map(({ hadPage, id }) => ({ ...id, hadPage }))
            ),
            (locked) => {
              const stillHeld = new Set(locked.map(laneName))
              for (const lane of done) if (!stillHeld.has(lane.name)) forget(lane)
              mayClaim = true
            }
          )

    const claim = Effect.gen(function* () {
      if (!mayClaim && !hasRoomAgain()) return
      const passedOver = fullGroups().union(met)
      const room = roomNow()
      isCrowded = room <= 0
      if (isCrowded) return
      mayClaim = false
      const trustedUntil = performance.now() + leaseMillis
      const taken = yield* repo.claim(holder, [...byName.keys()], room, [...passedOver])
      for (const id of taken) {
        const kind = byName.get(id.kind)
        const known = lanes.get(laneName(id))
        // Its lease had lapsed. Another process may have had it, and run what is in the page.
        if (known !== undefined) Object.assign(known, { trustedUntil, page: [], isStale: true })
        else if (kind !== undefined) lanes.set(laneName(id), new HeldLane(kind, id.key, trustedUntil))
      }
      isCrowded = taken.length >= room
      mayClaim ||= isCrowded
      const unfit = surplus()
      met = new Set(unfit.map(({ group }) => group))
      crowded = passedOver.union(met)
      // Before their jobs are read.
      yield* giveBack(unfit)
    }).pipe(
      Effect.onError(() =>
        Effect.sync(() => {
          mayClaim = true
        })
      )
    )

    /** Lets kinds read ahead for the next jobs of these lanes. */
    const readAhead = (read: ReadonlyArray<HeldLane<R>>) =>
      Effect.forEach(
        Map.groupBy(read, ({ kind }) => kind),
        ([kind, ofKind]) => {
          const jobs = ofKind.flatMap(({ page }) => page.slice(0, Math.ceil(aheadInAll / read.length)))
          if (kind.readAhead === undefined || jobs.length === 0) return Effect.void
          const at = performance.now()
          return kind.readAhead(jobs.map(({ payload }) => payload)).pipe(
            Effect.tap((found) =>
              Effect.sync(() => {
                for (const [place, job] of jobs.entries()) job.ahead = { found: found[place], at }
              })
            ),
            Effect.catchAllCause((cause) => Effect.logDebug("Nothing could be read ahead", cause))
          )
        },
        { discard: true }
      )

    /** Reads the next page of each lane that may have one and a slot for it. */
    const read = Effect.gen(function* () {
      const reading = [...lanes.values()].filter(
        (lane) => lane.isStale && lane.page.length === 0 && lane.hasRoom && !hasHadItsTurn(lane)
      )
      if (reading.length === 0) return
      // First, so that a job that is added during the query makes it stale again.
      for (const lane of reading) lane.isStale = false
      const sentAt = performance.now()
      const found = yield* repo
        .fetch(
          holder,
          reading.map(({ id }) => id),
          pageSize,
          [...started]
        )
        .pipe(
          Effect.onError(() =>
            Effect.sync(() => {
              for (const lane of reading) lane.isStale = true
            })
          )
        )
      const byLane = Map.groupBy(found, laneName)
      for (const lane of reading) {
        if (lanes.get(lane.name) !== lane) continue
        const rows = byLane.get(lane.name)
        if (rows === undefined) {
          forget(lane)
          continue
        }
        if (lane.hadPage) {
          // Behind the lanes whose first page this is.
          lanes.delete(lane.name)
          lanes.set(lane.name, lane)
        }
        for (const { job, version } of rows) {
          lane.version = version
          if (job === null) continue
          const { waited, ...stored } = job
          lane.page.push({ ...stored, dueAt: sentAt - waited * 1_000 })
        }
        lane.hadPage ||= lane.page.length > 0
        lane.isStale ||= lane.page.length >= pageSize
      }
      yield* readAhead(reading)
    })

    /** Releases the lanes that have nothing to do, and those that this process cannot run. */
    const release = Effect.gen(function* () {
      const empty = [...lanes.values()].filter(({ isEmpty }) => isEmpty)
      const done = new Set(empty.filter(({ isStale }) => !isStale))
      const forOthers = new Set([...empty.filter(hasHadItsTurn), ...surplus()])
      yield* giveBack([...forOthers.difference(done)])
      if (done.size === 0) return
      const released = new Set(
        (yield* repo.release(
          holder,
          Array.from(done, ({ id, version }) => ({ ...id, version }))
        )).map(laneName)
      )
      for (const lane of done) {
        if (released.has(lane.name)) forget(lane)
        // Somebody has added jobs to it, or is about to.
        else lane.isStale = true
      }
    })

    const renew = Effect.gen(function* () {
      const held = [...lanes.values()]
      if (held.length === 0) return
      const trustedUntil = performance.now() + leaseMillis
      const renewed = new Set(
        (yield* repo.renew(
          holder,
          held.map(({ id }) => id)
        )).map(laneName)
      )
      for (const lane of held) {
        if (renewed.has(lane.name)) lane.trustedUntil = trustedUntil
        else forget(lane)
      }
    })

    return {
      lanes: lanes as ReadonlyMap<string, HeldLane<R>>,
      claim,
      read,
      release,
      renew,

      /** Whether another `claim` would take more lanes. */
      hasMore: (): boolean => (isCrowded || hasRoomAgain()) && roomNow() > 0,

      /** Jobs may have been added, or become due. */
      look: (): void => {
        mayClaim = true
        for (const lane of lanes.values()) lane.isStale = true
      },

      /** Drops what was not started, and gives back the lanes in which nothing runs. */
      leave: Effect.suspend(() => {
        for (const lane of lanes.values()) lane.page = []
        return giveBack([...lanes.values()].filter(({ isEmpty }) => isEmpty))
      })
    }
  })
