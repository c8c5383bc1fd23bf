/** The lanes of a fair queue, which form a tree, and the tasks that wait in them. */

export interface Bounds {
  /** Maximum number of running tasks. Default: no limit beyond the queue's. */
  readonly atOnce?: number
  /** Maximum total size of the waiting tasks. Default: no limit. */
  readonly waiting?: number
}

/** A lane of the queue, or of the enclosing lane. */
export interface Lane extends Bounds {
  readonly name: string
  /** How much it has used lately, by any measure that is that of all lanes. Without: nothing. */
  readonly used?: () => number
}

/** A waiting task. The queue calls one of the two callbacks, once. */
export interface Work {
  /** The task's turn begins, and lasts until it calls `end`. */
  readonly begin: (end: () => void) => void
  /** The task has lost its place. */
  readonly refuse: () => void
}

export interface Waiting extends Work {
  readonly size: number
  /** The lanes in which the task waits: the whole queue first, the innermost lane last. */
  readonly path: ReadonlyArray<Node>
}

/** A lane that has waiting or running tasks. */
export interface Node {
  readonly name: string
  readonly atOnce: number
  readonly most: number
  readonly used: () => number
  running: number
  /** The total size of the tasks waiting in it. */
  waiting: number
  /** For an innermost lane: its waiting tasks, oldest first. */
  readonly works: Set<Waiting>
  /** For any other lane: the lanes in it. The lane that last had a turn, or last began to wait, comes last. */
  readonly lanes: Map<string, Node>
}

export const nodeOf = ({ atOnce = Infinity, name, used = () => 0, waiting = Infinity }: Lane): Node => ({
  name,
  atOnce,
  most: waiting,
  used,
  running: 0,
  waiting: 0,
  works: new Set(),
  lanes: new Map()
})

export const putLast = (within: Node, lane: Node): void => {
  within.lanes.delete(lane.name)
  within.lanes.set(lane.name, lane)
}

export const lanesWithin = (path: ReadonlyArray<Node>): ReadonlyArray<readonly [within: Node, lane: Node]> =>
  path.slice(1).flatMap((lane, index) => {
    const within = path[index]
    return within === undefined ? [] : [[within, lane] as const]
  })

/** Updates the counts along a path, and forgets the lanes on it that are now empty. */
export const count = (path: ReadonlyArray<Node>, waiting: number, running: number): void => {
  for (const node of path) {
    node.waiting += waiting
    node.running += running
  }
  for (const [within, { name, running, waiting }] of lanesWithin(path)) {
    if (waiting === 0 && running === 0) within.lanes.delete(name)
  }
}

/** All tasks waiting in a lane. */
export const worksIn = ({ lanes, works }: Node): ReadonlyArray<Waiting> => [
  ...works,
  ...[...lanes.values()].flatMap(worksIn)
]

export interface Next {
  readonly work: Waiting
  /** The most that any of its lanes has used lately. */
  readonly used: number
}

/** The work whose turn is next in a lane, or undefined when none may begin. */
export const nextIn = ({ atOnce, lanes, running, used, works }: Node): Next | undefined => {
  if (running >= atOnce) return undefined
  for (const oldest of works) return { work: oldest, used: used() }
  let next: Next | undefined
  let fewest = Infinity
  for (const lane of lanes.values()) {
    if (lane.running > fewest || (next?.used === 0 && lane.running === fewest)) continue
    const found = nextIn(lane)
    if (found === undefined) continue
    if (next !== undefined && lane.running === fewest && found.used >= next.used) continue
    fewest = lane.running
    next = found
    if (fewest === 0 && next.used === 0) break
  }
  return next === undefined ? undefined : { work: next.work, used: Math.max(used(), next.used) }
}
