/** The users of the company, and those who are invited. */
import { useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { type Role, useAccount, useIsOwner } from "../common/account.ts"
import { call, failureOf } from "../common/call.ts"
import type { Answer } from "../common/contract.ts"
import { Secret } from "../common/copy.tsx"
import { Confirm } from "../common/dialog.tsx"
import { Form, SelectField, Submit, TextField } from "../common/form.tsx"
import { Badge, count, Empty, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { Address, UnusualLetters } from "./email-address.tsx"

type Member = Answer<"members.list">["members"][number]
type Invitation = Answer<"invitations.list">["invitations"][number]

export const roles = {
  owner: { label: "Owner", article: "an", may: "everything, also who else is a member" },
  member: { label: "Member", article: "a", may: "everything but the company's members" },
  viewer: { label: "Viewer", article: "a", may: "looking at everything, and changing nothing" }
} as const satisfies Record<Role, unknown>

const roleChoices = [
  { value: "owner", label: roles.owner.label },
  { value: "member", label: roles.member.label },
  { value: "viewer", label: roles.viewer.label }
] as const

/** The active API keys that a member made, by the audit trail. */
const loadKeysOf = async (memberId: string, signal: AbortSignal) => {
  const made = new Set<string>()
  let cursor: string | undefined
  do {
    const { events, next_cursor } = await call("audit-events.list", {
      query: { action: "api_key.created", actor: memberId, limit: 100, cursor },
      signal
    })
    for (const { resource } of events) made.add(resource.id)
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined)
  if (made.size === 0) return []
  const { apiKeys } = await call("api-keys.list", { signal })
  return apiKeys.filter(({ activeNow, id }) => activeNow && made.has(id))
}

/** Names that are told, at most: the page of keys has all. */
const namesTold = 5

/** Keys are the company's and outlive their maker, who may still have them. */
const KeysOf = ({ member }: { readonly member: Member }) => {
  const keys = useResource((signal) => loadKeysOf(member.id, signal), [member.id])
  return (
    <Loaded of={keys}>
      {(made) =>
        made.length === 0 ? (
          <p>By the audit trail, they made no API key that is active.</p>
        ) : (
          <>
            <p>
              By the audit trail, they made {count(made.length)} active API{" "}
              {made.length === 1 ? "key" : "keys"}. Keys belong to the company and go on working. Revoke those
              that they may still have, on the page <Link to="/dashboard/keys">API keys</Link>.
            </p>
            <ul>
              {made.slice(0, namesTold).map(({ id, name, token_prefix }) => (
                <li key={id}>
                  <bdi>{name}</bdi> <code>{token_prefix}…</code>
                </li>
              ))}
              {made.length > namesTold ? <li>and {count(made.length - namesTold)} more</li> : null}
            </ul>
          </>
        )
      }
    </Loaded>
  )
}

/** What an owner is about to do to a member. */
type Change =
  | { readonly kind: "remove"; readonly member: Member }
  | { readonly kind: "role"; readonly member: Member; readonly role: Role }

const Question = ({
  change,
  onClose,
  onDone
}: {
  readonly change: Change
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}) => {
  const { member } = change
  return change.kind === "remove" ? (
    <Confirm
      title={`Remove ${member.email}?`}
      act="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await call("members.remove", { path: { id: member.id } })
        await onDone()
      }}
    >
      <p>
        They are signed out everywhere at once, and invitations they made no longer work. All else they have
        made stays.
      </p>
      <UnusualLetters of={member.email} />
      <KeysOf member={member} />
    </Confirm>
  ) : (
    <Confirm
      title={`Make ${member.email} ${roles[change.role].article} ${roles[change.role].label.toLowerCase()}?`}
      act="Change role"
      danger={false}
      onClose={onClose}
      onConfirm={async () => {
        await call("members.changeRole", { path: { id: member.id }, body: { role: change.role } })
        await onDone()
      }}
    >
      <UnusualLetters of={member.email} />
      <p>
        From their next click on they may do: {roles[change.role].may}.
        {member.role === "owner" && change.role !== "owner" ? " Invitations they made no longer work." : null}
      </p>
    </Confirm>
  )
}

const MemberTable = ({
  members,
  onChange
}: {
  readonly members: ReadonlyArray<Member>
  readonly onChange: (change: Change) => void
}) => {
  const isOwner = useIsOwner()
  const { user } = useAccount()
  return (
    <Table
      label="Members"
      rows={members}
      keyOf={({ id }) => id}
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
              <select
                aria-label={`Role of ${member.email}`}
                value={member.role}
                onChange={(event) => {
                  const chosen = roleChoices.find(({ value }) => value === event.currentTarget.value)
                  // It shows what is, until the change is done.
                  event.currentTarget.value = member.role
                  if (chosen !== undefined) onChange({ kind: "role", member, role: chosen.value })
                }}
              >
                {roleChoices.map(({ label, value }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            ) : (
              roles[member.role].label
            )
        },
        { label: "Joined", cell: ({ created_at }) => <Time at={created_at} /> },
        { label: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} never="Not lately" /> },
        ...(isOwner
          ? [
              {
                label: "Actions",
                actions: true,
                cell: (member: Member) => (
                  <Button onClick={() => onChange({ kind: "remove", member })}>
                    Remove <span class="visually-hidden">{member.email}</span>
                  </Button>
                )
              }
            ]
          : [])
      ]}
    />
  )
}

const Invite = ({ onInvited }: { readonly onInvited: () => Promise<void> }) => {
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("member")
  const [made, setMade] = useState<Answer<"invitations.invite">>()
  return (
    <>
      {made === undefined ? null : (
        <div class="made">
          <Alert tone="info" title={`Send this link to ${made.invitation.email}`}>
            <p>
              Whoever opens it joins your company. It is shown this once and works until{" "}
              <Time at={made.invitation.expires_at} precise />.
            </p>
          </Alert>
          <Secret label="Invitation link" secret={made.url} />
        </div>
      )}
      <Form
        label="Invite someone"
        about={{ "Email is already registered": "email" }}
        onSubmit={async () => {
          setMade(await call("invitations.invite", { body: { email, role } }))
          setEmail("")
          await onInvited()
        }}
      >
        <div class="fields">
          <TextField name="email" label="Email" type="email" value={email} onChange={setEmail} />
          <SelectField name="role" label="Role" value={role} choices={roleChoices} onChange={setRole} />
        </div>
        <p class="hint">
          {roles[role].label}s may do: {roles[role].may}.
        </p>
        <Submit>Make invitation link</Submit>
      </Form>
    </>
  )
}

/** Only owners may see who is invited. */
const Invitations = ({ changes }: { readonly changes: number }) => {
  const invitations = useResource((signal) => call("invitations.list", { signal }), [changes])
  const [problem, setProblem] = useState<string>()
  const withdraw = async ({ id }: Invitation) => {
    setProblem(undefined)
    try {
      await call("invitations.withdraw", { path: { id } })
    } catch (cause) {
      setProblem(failureOf(cause).message)
    }
    await invitations.reload()
  }
  return (
    <Section title="Invitations">
      <Invite onInvited={invitations.reload} />
      {problem === undefined ? null : <Alert>{problem}</Alert>}
      <Loaded of={invitations}>
        {({ invitations: open }) =>
          open.length === 0 ? (
            <Empty title="Nobody is invited at the moment">
              Who you invite is listed here until they join.
            </Empty>
          ) : (
            <Table
              label="Invitations"
              rows={open}
              keyOf={({ id }) => id}
              columns={[
                { label: "Email", cell: ({ email }) => <Address of={email} /> },
                { label: "Role", cell: ({ role }) => roles[role].label },
                { label: "Invited by", cell: ({ invited_by }) => <Address of={invited_by.email} /> },
                { label: "Made", cell: ({ created_at }) => <Time at={created_at} /> },
                { label: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
                {
                  label: "Actions",
                  actions: true,
                  cell: (invitation) => (
                    <Button onClick={() => void withdraw(invitation)}>
                      Withdraw <span class="visually-hidden">{invitation.email}</span>
                    </Button>
                  )
                }
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

export const MembersPage = () => {
  const { user } = useAccount()
  const isOwner = useIsOwner()
  // A change of members withdraws their invitations, too.
  const [changes, setChanges] = useState(0)
  const members = useResource((signal) => call("members.list", { signal }), [])
  const [change, setChange] = useState<Change>()
  return (
    <Page title="Members" intro="Who of your company works here, and what they may do.">
      <Loaded of={members}>{(known) => <MemberTable members={known.members} onChange={setChange} />}</Loaded>
      {isOwner ? (
        <Invitations changes={changes} />
      ) : (
        <p class="faint">Owners can invite others, and change what they may do.</p>
      )}
      {change === undefined ? null : (
        <Question
          change={change}
          onClose={() => setChange(undefined)}
          onDone={async () => {
            // What one may do oneself is known to the whole page.
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
