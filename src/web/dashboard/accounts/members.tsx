import { useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { type Role, useAccount, useIsOwner } from "../common/account.ts"
import { type Answer, doorlock } from "../common/call.ts"
import { Confirm } from "../common/dialog.tsx"
import { Select } from "../common/fields.tsx"
import { Badge, Page } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { Address, UnusualLetters } from "./email-address.tsx"
import { Invitations } from "./invitations.tsx"
import { MemberKeys } from "./member-keys.tsx"
import { roleChoices, roles } from "./roles.ts"

type Member = Answer<"members.list">["members"][number]

interface Change {
  readonly member: Member
  /** Undefined to remove the member. */
  readonly role?: Role
}

interface ConfirmChangeProps {
  readonly change: Change
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}

const ConfirmChange = ({ change: { member, role }, onClose, onDone }: ConfirmChangeProps) => {
  const removed = role === undefined
  return (
    <Confirm
      title={
        removed
          ? `Remove ${member.email}?`
          : `Make ${member.email} ${roles[role].article} ${roles[role].label.toLowerCase()}?`
      }
      act={removed ? "Remove" : "Change role"}
      danger={removed}
      onClose={onClose}
      onConfirm={async () => {
        await (removed
          ? doorlock.members.remove(member.id)
          : doorlock.members.changeRole(member.id, { role }))
        await onDone()
      }}
    >
      <UnusualLetters of={member.email} />
      {removed ? (
        <>
          <p>
            They are signed out everywhere at once, and their invitations stop working. Everything else that
            they created stays.
          </p>
          <MemberKeys memberId={member.id} />
        </>
      ) : (
        <p>
          From now on, they can {roles[role].may}.
          {member.role === "owner" && role !== "owner" ? " Their invitations stop working." : null}
        </p>
      )}
    </Confirm>
  )
}

export const MembersPage = () => {
  const { user } = useAccount()
  const isOwner = useIsOwner()
  // A change reloads the invitations: removing or demoting a member withdraws theirs.
  const [changes, setChanges] = useState(0)
  const members = useResource((signal) => doorlock.members.list({ signal }), [])
  const [change, setChange] = useState<Change>()
  return (
    <Page title="Members" intro="The users of your company and their roles.">
      <Loaded of={members}>
        {(known) => (
          <Table
            label="Members"
            rows={known.members}
            columns={[
              {
                label: "Email",
                cell: ({ email, id }) => (
                  <>
                    <Address of={email} /> {id === user.id ? <Badge>You</Badge> : null}
                  </>
                )
              },
              {
                label: "Role",
                cell: (member) =>
                  isOwner ? (
                    <Select
                      aria-label={`Role of ${member.email}`}
                      value={member.role}
                      choices={roleChoices}
                      onChange={(role) => setChange({ member, role })}
                    />
                  ) : (
                    roles[member.role].label
                  )
              },
              { label: "Joined", cell: ({ created_at }) => <Time at={created_at} /> },
              {
                label: "Last seen",
                cell: ({ last_seen_at }) => <Time at={last_seen_at} never="Not recently" />
              },
              ...(isOwner
                ? [
                    {
                      label: "Actions",
                      actions: true,
                      cell: (member: Member) => (
                        <Button onClick={() => setChange({ member })}>
                          Remove <span class="visually-hidden">{member.email}</span>
                        </Button>
                      )
                    }
                  ]
                : [])
            ]}
          />
        )}
      </Loaded>
      {isOwner ? (
        <Invitations changes={changes} />
      ) : (
        <p class="faint">Owners can invite others and change their roles.</p>
      )}
      {change === undefined ? null : (
        <ConfirmChange
          change={change}
          onClose={() => setChange(undefined)}
          onDone={async () => {
            // A change to the user's own role affects the whole page.
            if (change.member.id === user.id) location.reload()
            else {
              setChanges(changes + 1)
              await members.reload()
            }
          }}
        />
      )}
    </Page>
  )
}
