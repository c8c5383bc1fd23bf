import type { ComponentChildren } from "preact"
import { useErrorBoundary } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { Page } from "./parts.tsx"

/** Catches, for example, an open page older than the server that gets a response it does not know. */
export const Boundary = ({ children }: { readonly children: ComponentChildren }) => {
  const [error] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  return (
    <Page
      title="This page broke"
      intro="That is a fault of doorlock. It may be newer than the page you have open."
    >
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </Page>
  )
}
