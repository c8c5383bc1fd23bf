import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useAccount } from "../common/account.ts"
import { useListAction } from "../common/action.tsx"
import { doorlock } from "../common/call.ts"
import { deviceOf } from "../common/devices.ts"
import { TextField } from "../common/fields.tsx"
import { Form, Submit, useFields } from "../common/form.tsx"
import { Badge, Facts, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { roles } from "./roles.ts"
import { NewPasswordField } from "./sign-in.tsx"

const ChangePassword = () => {
  const { user } = useAccount()
  const { field, reset, values } = useFields({ currentPassword: "", newPassword: "" })
  const [done, setDone] = useState(false)
  return (
    <Section title="Password">
      {done ? (
        <Alert tone="good">
          <p>Your password is changed, and your other sessions have ended.</p>
        </Alert>
      ) : null}
      <Form
        label="Change password"
        about={{ "Current password is incorrect": "currentPassword" }}
        onSubmit={async () => {
          setDone(false)
          await doorlock.account.changePassword(values)
          reset()
          setDone(true)
        }}
      >
        {/* For password managers. */}
        <div class="visually-hidden" aria-hidden="true">
          <input type="email" autocomplete="username" value={user.email} readOnly tabIndex={-1} />
        </div>
        <TextField
          {...field("currentPassword")}
          label="Current password"
          type="password"
          autocomplete="current-password"
        />
        <NewPasswordField {...field("newPassword")} label="New password" />
        <Submit>Change password</Submit>
      </Form>
    </Section>
  )
}

const Sessions = () => {
  const sessions = useResource((signal) => doorlock.account.listSessions({ signal }), [])
  const { boxRef, busy, problem, run } = useListAction(sessions)
  return (
    <Section
      title="Where you are signed in"
      boxRef={boxRef}
      actions={
        (sessions.value?.sessions.length ?? 0) > 1 ? (
          <Button busy={busy} onClick={() => void run(() => doorlock.account.endOtherSessions())}>
            End all other sessions
          </Button>
        ) : null
      }
    >
      {problem}
      <Loaded of={sessions}>
        {({ sessions: live }) => (
          <Table
            label="Your sessions, most recently used first"
            rows={live}
            columns={[
              {
                label: "Device",
                cell: ({ current, user_agent }) => (
                  <>
                    <span title={user_agent ?? ""}>{deviceOf(user_agent)}</span>{" "}
                    {current ? <Badge tone="good">This one</Badge> : null}
                  </>
                )
              },
              { label: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              { label: "Signed in", cell: ({ created_at }) => <Time at={created_at} precise /> },
              { label: "Ends", cell: ({ expires_at }) => <Time at={expires_at} precise /> },
              {
                label: "Actions",
                actions: true,
                cell: ({ current, id, user_agent }) =>
                  current ? null : (
                    <Button busy={busy} onClick={() => void run(() => doorlock.account.endSession(id))}>
                      End <span class="visually-hidden">{deviceOf(user_agent)}</span>
                    </Button>
                  )
              }
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

export const AccountPage = () => {
  const { company, user } = useAccount()
  const { label, may } = roles[user.role]
  return (
    <Page title="Your account">
      <div class="columns">
        <Section title="You">
          <Facts
            of={[
              ["Email", user.email],
              ["Company", company.name],
              ["Role", `${label}: can ${may}`]
            ]}
          />
        </Section>
        <ChangePassword />
      </div>
      <Sessions />
    </Page>
  )
}
