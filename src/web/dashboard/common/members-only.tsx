/** What only members and owners may use. */
import type { ComponentChildren, ComponentProps } from "preact"
import { Alert } from "../../ui/parts.tsx"
import { useMayWrite } from "./account.ts"
import { Link } from "./router.tsx"

/** Viewers see a message instead. */
export const MembersOnly = ({ children }: { readonly children: ComponentChildren }): ComponentChildren =>
  useMayWrite() ? (
    children
  ) : (
    <Alert tone="info">
      <p>You can see everything here but change nothing. Ask a member of your company to do this.</p>
    </Alert>
  )

/** A link to a form; viewers see nothing instead. */
export const MembersLink = (link: ComponentProps<typeof Link>) => (useMayWrite() ? <Link {...link} /> : null)
