import { groupEnd } from "../db/enqueue.ts"
import type { WorkKind } from "./model.ts"
import type { LaneId } from "./repo.ts"

/** A job of a page, in memory. */
export interface FetchedJob {
  readonly id: string
  readonly attempt: number
  readonly payload: unknown
  /** When it was due, by the monotonic clock. */
  readonly dueAt: number
  /** What its kind has read ahead for it, and when (by the monotonic clock). */
  ahead?: { readonly found: unknown; readonly at: number }
}

/** Identifies a lane in this process. */
export const laneName = ({ key, kind }: LaneId): string => `${kind} ${key}`

/** A lane that this process holds. */
export class HeldLane<R> {
  readonly kind: WorkKind<R>
  readonly key: string
  readonly name: string
  /** The lanes of a group share slots. A lane whose key names none is a group by itself. */
  readonly group: string
  /** Until when nobody else can have taken the lane, by the monotonic clock. */
  trustedUntil: number
  /** As of the last page. */
  version = 0
  /** Read and not started. */
  page: Array<FetchedJob> = []
  /** Jobs that run, and those that have run but are not settled. */
  running = 0
  unsettled = 0
  /** Whether it may have due jobs that were not read yet. */
  isStale = true
  /** Whether it has had a page since it was taken. */
  hadPage = false

  constructor(kind: WorkKind<R>, key: string, trustedUntil: number) {
    this.kind = kind
    this.key = key
    this.name = laneName(this.id)
    this.group = key.split(groupEnd, 1).join()
    this.trustedUntil = trustedUntil
  }

  get id(): LaneId {
    return { kind: this.kind.name, key: this.key }
  }

  /** Whether none of its jobs is in memory. */
  get isEmpty(): boolean {
    return this.running + this.unsettled + this.page.length === 0
  }

  get hasRoom(): boolean {
    return this.running < this.kind.perLane
  }
}

/** Slots for the first job of each group only, as a part of all. */
const reservedForGroups = 1 / 4

/** Beyond its first slot, a group gets another only while fewer of its jobs run than this part of the other slots in which nothing runs. */
const groupPart = 3 / 4

/** Slots for the first job of each lane only, as a part of all. */
const reservedForLanes = 1 / 2

/** Beyond its first slot, a lane gets another only while it has fewer than this part of the other free ones. */
const lanePart = 1 / 4

/**
 * The slots for jobs that this process has started and not settled. A slot cannot be taken back from a job that hangs. So one quarter is for
 * the first job of each group (a company), and one half for the first job of each lane. The more of the others are taken, the fewer a group
 * or a lane gets.
 *
 * With 512 slots, a group that is alone runs at most 165 jobs at once, and each of k groups that hang gets about 288 / (1 + 3k / 4) in the
 * long run: each of 13 has 27, and the next one may start 15. A lane that is alone gets as many as its kind allows, and each of 64 that hang
 * gets 4. So 128 groups that hang, each with any number of lanes, or 256 lanes that hang, each with any number of jobs, leave slots for others.
 */
export class Slots {
  readonly #total: number
  #free: number
  #running = 0
  readonly #runningOf = new Map<string, number>()

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  get free(): number {
    return this.#free
  }

  /** The groups of which jobs run. */
  get groups(): Iterable<string> {
    return this.#runningOf.keys()
  }

  /** How many more jobs of a group may start while slots are free. Jobs that have run and wait to be settled do not count against it: they cannot hang. */
  roomOf(group: string): number {
    const own = this.#runningOf.get(group) ?? 0
    const others = this.#total * (1 - reservedForGroups) - this.#running
    // Each that starts also leaves one slot less.
    const more = Math.ceil((others * groupPart - own) / (1 + groupPart))
    return Math.max(more, own === 0 ? 1 : 0)
  }

  permits({ group, hasRoom, running }: Pick<HeldLane<never>, "group" | "hasRoom" | "running">): boolean {
    const ofLane = (this.#free - this.#total * reservedForLanes) * lanePart
    return this.#free > 0 && hasRoom && (running === 0 || running < ofLane) && this.roomOf(group) > 0
  }

  /** A job of this group starts. */
  take(group: string): void {
    this.#free--
    this.#count(group, 1)
  }

  /** A job of this group runs no longer. Its slot is free once its result is settled. */
  ended(group: string): void {
    this.#count(group, -1)
  }

  giveBack(): void {
    this.#free++
  }

  #count(group: string, change: number): void {
    const own = (this.#runningOf.get(group) ?? 0) + change
    this.#running += change
    if (own === 0) this.#runningOf.delete(group)
    else this.#runningOf.set(group, own)
  }
}
