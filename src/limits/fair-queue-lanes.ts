/** The lanes of a fair queue form a tree; tasks wait in its leaves. */

export interface Bounds {
  /** Maximum number of running tasks. Default: the queue's. */
  readonly atOnce?: number
  /** Maximum total size of waiting tasks. Default: no limit. */
  readonly waiting?: number
}

/** A lane of the queue, or of the enclosing lane. */
export interface Lane extends Bounds {
  readonly name: string
}

/** A waiting task. The queue calls one of these, once. */
export interface Work {
  /** The task's turn lasts until it calls `end`. */
  readonly begin: (end: () => void) => void
  /** The task loses its place. */
  readonly refuse: () => void
}

export interface Waiting extends Work {
  readonly size: number
  /** The whole queue first, the innermost lane last. */
  readonly path: ReadonlyArray<Node>
}

/** A lane that has waiting or running tasks. */
export interface Node {
  readonly name: string
  readonly atOnce: number
  readonly most: number
  running: number
  /** The total size of its waiting tasks. */
  waiting: number
  /** Of an innermost lane: its waiting tasks, oldest first. */
  readonly works: Set<Waiting>
  /** Of any other lane: the lanes in it. The one that last had a turn, or last began to wait, comes last. */
  readonly lanes: Map<string, Node>
}

export const nodeOf = ({ atOnce = Infinity, name, waiting = Infinity }: Lane): Node => ({
  name,
  atOnce,
  most: waiting,
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

/** Updates the counts along a path, and deletes lanes that are now empty. */
export const count = (path: ReadonlyArray<Node>, waiting: number, running: number): void => {
  for (const node of path) {
    node.waiting += waiting
    node.running += running
  }
  for (const [within, { name, running, waiting }] of lanesWithin(path)) {
    if (waiting === 0 && running === 0) within.lanes.delete(name)
  }
}

export const worksIn = ({ lanes, works }: Node): ReadonlyArray<Waiting> => [
  ...works,
  ...[...lanes.values()].flatMap(worksIn)
]

/** The next task of a lane; undefined if none may begin. */
export const nextIn = ({ atOnce, lanes, running, works }: Node): Waiting | undefined => {
  if (running >= atOnce) return undefined
  for (const oldest of works) return oldest
  let next: Waiting | undefined
  let fewest = Infinity
  for (const lane of lanes.values()) {
    if (lane.running >= fewest) continue
    const found = nextIn(lane)
    if (found === undefined) continue
    next = found
    fewest = lane.running
    if (fewest === 0) break
  }
  return next
}
