import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import type { Role } from "../common/account.ts"
import { useListAction } from "../common/action.tsx"
import { type Answer, doorlock } from "../common/call.ts"
import { Secret } from "../common/copy.tsx"
import { SelectField, TextField } from "../common/fields.tsx"
import { Form, Submit, useFields } from "../common/form.tsx"
import { Empty, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { Address } from "./email-address.tsx"
import { roleChoices, roles } from "./roles.ts"

const Invite = ({ onInvited }: { readonly onInvited: () => Promise<void> }) => {
  const { field, values } = useFields({ email: "", role: "member" as Role })
  const email = field("email")
  const [made, setMade] = useState<Answer<"invitations.create">>()
  return (
    <>
      {made === undefined ? null : (
        <div>
          <Alert tone="good" title={`Send this link to ${made.invitation.email}`}>
            <p>
              Anyone who opens this link can join your company. The link is shown only once and works until{" "}
              <Time at={made.invitation.expires_at} precise />.
            </p>
          </Alert>
          <Secret label="Invitation link" text={made.url} />
        </div>
      )}
      <Form
        label="Invite someone"
        about={{ "Email is already registered": "email" }}
        onSubmit={async () => {
          setMade(await doorlock.invitations.create(values))
          email.onChange("")
          await onInvited()
        }}
      >
        <div class="fields">
          <TextField {...email} label="Email" type="email" />
          <SelectField {...field("role")} label="Role" choices={roleChoices} />
        </div>
        <p class="hint">
          {roles[values.role].label}s can {roles[values.role].may}.
        </p>
        <Submit>Create invitation link</Submit>
      </Form>
    </>
  )
}

/** The company's invitations, and a form to invite others. Only owners may see them. */
export const Invitations = ({ changes }: { readonly changes: number }) => {
  const invitations = useResource((signal) => doorlock.invitations.list({ signal }), [changes])
  const { boxRef, busy, problem, run } = useListAction(invitations)
  return (
    <Section title="Invitations" boxRef={boxRef}>
      <Invite onInvited={invitations.reload} />
      {problem}
      <Loaded of={invitations}>
        {({ invitations: open }) => (
          <Table
            label="Invitations"
            rows={open}
            empty={
              <Empty icon="members" title="No open invitations">
                People you invite are listed here until they join.
              </Empty>
            }
            columns={[
              { label: "Email", cell: ({ email }) => <Address of={email} /> },
              { label: "Role", cell: ({ role }) => roles[role].label },
              { label: "Invited by", cell: ({ invited_by }) => <Address of={invited_by.email} /> },
              { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
              { label: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                label: "Actions",
                actions: true,
                cell: ({ email, id }) => (
                  <Button busy={busy} onClick={() => void run(() => doorlock.invitations.withdraw(id))}>
                    Withdraw <span class="visually-hidden">{email}</span>
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
