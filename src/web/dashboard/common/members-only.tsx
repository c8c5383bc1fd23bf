/** What only members and owners may use; viewers see a message instead. */
import type { ComponentChildren } from "preact"
import { Alert } from "../../ui/parts.tsx"
import { useMayWrite } from "./account.ts"

export const MembersOnly = ({ children }: { readonly children: ComponentChildren }): ComponentChildren =>
  useMayWrite() ? (
    children
  ) : (
    <Alert tone="info">
      <p>You can see everything here but change nothing. Ask a member of your company to do this.</p>
    </Alert>
  )
