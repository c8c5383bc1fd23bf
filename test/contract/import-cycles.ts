import { posix } from "node:path"
import { importsOf } from "./import-rules.ts"

/** The imports of each file, including type-only imports, by paths below `src/`. */
export type ImportGraph = ReadonlyMap<string, ReadonlyArray<string>>

/** @param sources the files' texts, by path below `src/` */
export const importGraph = (sources: ReadonlyMap<string, string>): ImportGraph =>
  new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(source)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(file), specifier))
        .filter((target) => sources.has(target))
    ])
  )

/** The shortest import path from a file back to itself, without its end; undefined if there is none. */
const cycleThrough = (graph: ImportGraph, file: string): ReadonlyArray<string> | undefined => {
  const seen = new Set<string>()
  let ways: ReadonlyArray<ReadonlyArray<string>> = [[file]]
  while (ways.length > 0) {
    const longer: Array<ReadonlyArray<string>> = []
    for (const way of ways) {
      for (const next of graph.get(way.at(-1) ?? file) ?? []) {
        if (next === file) return way
        if (seen.has(next)) continue
        seen.add(next)
        longer.push([...way, next])
      }
    }
    ways = longer
  }
  return undefined
}

/**
 * The import cycles: the shortest one through each file that is in a cycle. Each is written as `a.ts -> b.ts -> a.ts`, and
 * starts with the file whose path comes first.
 */
export const cyclesIn = (graph: ImportGraph): ReadonlyArray<string> => {
  const cycles = [...graph.keys()].flatMap((file) => {
    const cycle = cycleThrough(graph, file)
    if (cycle === undefined) return []
    const first = cycle.indexOf([...cycle].sort()[0] ?? file)
    const turned = [...cycle.slice(first), ...cycle.slice(0, first)]
    return [[...turned, turned[0]].join(" -> ")]
  })
  return [...new Set(cycles)].sort()
}
