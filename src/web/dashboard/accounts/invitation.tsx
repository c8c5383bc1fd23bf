import { useState } from "preact/hooks"
import type { Account } from "../common/account.ts"
import { doorlock, failureOf } from "../common/call.ts"
import { TextField } from "../common/fields.tsx"
import { Form, Submit, useFields } from "../common/form.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Time } from "../common/time.tsx"
import { roles } from "./roles.ts"
import { Entrance, NewPasswordField } from "./sign-in.tsx"

/** Takes the token out of the address, to keep it out of the history and of copied links. */
export const takeInvitation = (): string | undefined => {
  if (location.pathname !== "/dashboard/invitation") return undefined
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? history.state?.invitation
  // The state survives a reload.
  if (typeof token === "string") history.replaceState({ invitation: token }, "", location.pathname)
  return typeof token === "string" ? token : undefined
}

interface AcceptInvitationProps {
  readonly token: string
  readonly onSignedIn: (account: Account) => void
}

export const AcceptInvitation = ({ onSignedIn, token }: AcceptInvitationProps) => {
  const { field, values } = useFields({ password: "" })
  // Replaces the invited address, if that turned out to be registered.
  const [otherEmail, setOtherEmail] = useState<string>()
  const invitation = useResource((signal) => doorlock.invitations.open({ token }, { signal }), [token])
  return (
    <Entrance title="Join your company">
      <Loaded of={invitation}>
        {({ invitation: { company_name, email, expires_at, role } }) => (
          <>
            <p>
              You are invited to join{" "}
              <strong>
                <bdi>{company_name}</bdi>
              </strong>{" "}
              as {roles[role].article} <strong>{roles[role].label.toLowerCase()}</strong>. You can{" "}
              {roles[role].may}.
            </p>
            <p class="faint">
              The invitation expires <Time at={expires_at} precise />.
            </p>
            <Form
              label="Join"
              about={{ "Email is already registered": "email" }}
              onSubmit={async () => {
                try {
                  const chosen = otherEmail === undefined ? {} : { email: otherEmail }
                  onSignedIn(await doorlock.invitations.accept({ token, ...values, ...chosen }))
                } catch (cause) {
                  if (failureOf(cause).status === 409) setOtherEmail(otherEmail ?? email)
                  throw cause
                }
              }}
            >
              <TextField
                name="email"
                label="Email"
                type="email"
                autocomplete="username"
                {...(otherEmail === undefined
                  ? {}
                  : { hint: "The invited address already has an account. Choose another to sign in with." })}
                value={otherEmail ?? email}
                onChange={setOtherEmail}
                readOnly={otherEmail === undefined}
              />
              <NewPasswordField {...field("password")} label="Choose a password" />
              <Submit>Join</Submit>
            </Form>
          </>
        )}
      </Loaded>
    </Entrance>
  )
}
