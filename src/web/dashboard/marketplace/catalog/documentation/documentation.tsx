import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Json } from "../../../../json.ts"
import type { Operation as Described } from "../../../../reference/document.ts"
import { Prose } from "../../../../reference/prose.tsx"
import { ReadingProvider } from "../../../../reference/reading.ts"
import { Alert, Button } from "../../../../ui/parts.tsx"
import { Empty } from "../../../common/parts.tsx"
import { setQuery, useLocation } from "../../../common/router.tsx"
import { useShown } from "../../../common/table.tsx"
import { Operation } from "./operation.tsx"
import { parts } from "./parts.tsx"
import { componentName, groupOf, tagDescription, type VersionName, versionOperations } from "./version.ts"

const matching = (operations: ReadonlyArray<Described>, search: string): ReadonlyArray<Described> => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, summary, tag }) => {
    const text = `${id} ${summary} ${tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

interface DocumentationProps {
  readonly document: Json
  readonly versionName: VersionName
}

interface GroupsProps extends DocumentationProps {
  readonly operations: ReadonlyArray<Described>
  /** The operation that is open at first. */
  readonly linked: string | null
}

const Groups = ({ document, linked, operations, versionName }: GroupsProps) => {
  const list = useRef<HTMLDivElement>(null)
  const at = operations.findIndex(({ id }) => id === linked)
  const { more, shown } = useShown(operations, at + 1)
  const groups = [...Map.groupBy(shown, (operation) => groupOf(versionName, operation))]
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>("details.operation[open]")
    if (at >= 0) open?.scrollIntoView({ block: "start" })
  }, [])
  return (
    <div ref={list}>
      {groups.map(([group, members]) => (
        <section key={group} class="operations">
          <h3 class={group === "" ? "visually-hidden" : ""}>{group === "" ? "Operations" : group}</h3>
          <Prose text={group === "" ? "" : tagDescription(document, versionName, group)} />
          {members.map((operation) => (
            <Operation
              key={operation.id}
              of={operation}
              open={operation.id === linked}
              onToggle={(open) => setQuery({ operation: open ? operation.id : undefined })}
            />
          ))}
        </section>
      ))}
      {more}
    </div>
  )
}

export const Documentation = ({ document, versionName }: DocumentationProps) => {
  const { query } = useLocation()
  const [search, setSearch] = useState("")
  // Only the address that opened the page scrolls: what the user opens or finds later is already in view.
  const [linked, setLinked] = useState(() => query.get("operation"))
  const find = (words: string) => {
    setLinked(null)
    setSearch(words)
  }
  const operations = useMemo(() => versionOperations(document, versionName), [document, versionName.version])
  const found = useMemo(() => matching(operations, search), [operations, search])
  const reading = useMemo(
    () => ({ document, parts, isWhole: false, nameOf: (name: string) => componentName(versionName, name) }),
    [document, versionName.version]
  )
  if (operations.length === 0) {
    return (
      <Empty title="No operations are described">
        The publisher has not described this version. You can still call it at its address.
      </Empty>
    )
  }
  return (
    <ReadingProvider value={reading}>
      {operations.length > 8 ? (
        <div class="row documentation-search">
          <input
            type="search"
            aria-label="Find an operation"
            placeholder="Find an operation"
            value={search}
            onInput={(event) => find(event.currentTarget.value)}
          />
          <span class="faint" role="status">
            {search.trim() === "" ? `${operations.length} operations` : `${found.length} found`}
          </span>
        </div>
      ) : null}
      {found.length === 0 ? (
        <Alert tone="info">
          <p>No operation contains these words.</p>
          <Button onClick={() => find("")}>Show all</Button>
        </Alert>
      ) : (
        <Groups
          key={search}
          document={document}
          versionName={versionName}
          operations={found}
          linked={linked}
        />
      )}
    </ReadingProvider>
  )
}
