/** The page of a form that changes one of the company's APIs. */
import type { ComponentChildren } from "preact"
import { Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { MembersOnly } from "../../common/writers-only.tsx"
import { type OwnApi, parentOf, readOwnApi } from "./own-api.ts"

interface OwnApiFormPageProps {
  readonly id: string
  readonly title: string
  readonly intro?: string
  readonly children: (api: OwnApi) => ComponentChildren
}

export const OwnApiFormPage = ({ children, id, ...head }: OwnApiFormPageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page {...head} parent={parentOf(id, known)}>
      <MembersOnly>
        <Loaded of={loaded}>{children}</Loaded>
      </MembersOnly>
    </Page>
  )
}
