/** For what viewers may not use. */
import type { ComponentChildren, ComponentProps } from "preact"
import { Alert } from "../../ui/parts.tsx"
import { useMayWrite } from "./account.ts"
import { Link } from "./router.tsx"

/** Shows its children to members and owners, and a message to viewers. */
export const RequireWriteAccess = ({
  children
}: {
  readonly children: ComponentChildren
}): ComponentChildren =>
  useMayWrite() ? (
    children
  ) : (
    <Alert tone="info">
      <p>You can view everything here, but not change it. Ask a member of your company to make changes.</p>
    </Alert>
  )

/** A link to a form, hidden from viewers. */
export const WriteAccessLink = (link: ComponentProps<typeof Link>) =>
  useMayWrite() ? <Link {...link} /> : null
