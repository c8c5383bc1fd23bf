import { Schema } from "effect"
import { fails, tooManyRequests } from "../http/contract/error-responses.ts"
import { filled, optional, required } from "../http/contract/fields.ts"
import { created, route, routeGroup } from "../http/contract/routes.ts"
import { Ok } from "../shared/schemas.ts"
import { anyPassword, Email, emailTaken, NewPassword, SignedIn } from "./api.ts"
import { InvitationNotFound, MemberNotFound, OwnerNeeded, TooManyMembers } from "./errors.ts"
import { fromOwnSite, user } from "./guards.ts"
import * as examples from "./members-examples.ts"
import { Invitation, Member, OpenInvitation, Role } from "./model.ts"

const RoleField = required(Role, "role must be one of owner, member, reviewer, viewer")
const Token = required(filled("token")).annotations({
  description: "The part of the invitation's link after `#token=`."
})

const ChangeRole = Schema.Struct({ role: RoleField }).annotations({ identifier: "ChangeRole" })

const Invite = Schema.Struct({ email: required(Email), role: RoleField }).annotations({
  identifier: "Invite"
})

const Invited = Schema.Struct({
  invitation: Invitation,
  url: Schema.String.annotations({
    description: "The link to send to the invited person. It is returned only once."
  })
}).annotations({ identifier: "Invited" })

const OpenByToken = Schema.Struct({ token: Token }).annotations({ identifier: "OpenInvitationByToken" })

const Accept = Schema.Struct({
  token: Token,
  password: required(NewPassword).annotations(anyPassword),
  email: optional(Email).annotations({
    description: "Another address to sign in with, if the invited one already has an account."
  })
}).annotations({ identifier: "AcceptInvitation" })

const holderOfInvitation = "For holders of the invitation's link: `token` in the body is its token."

const memberNotFound = fails(MemberNotFound, 404, "Member not found")
const ownerNeeded = fails(OwnerNeeded, 409, "The company needs an owner")
const invitationNotFound = fails(InvitationNotFound, 404, "Invitation not found")

export class MembersApi extends routeGroup(
  "members",
  {
    title: "Members",
    description:
      "The company's users. Owners can do everything. Members can do everything except manage users and invitations and read the audit trail. Reviewers see KYC sessions, decide on them, and can get the link of a session that a resubmission made; otherwise they see only their own account. Viewers can only read.",
    examples: examples.members
  },
  route("list", "GET /api/members", {
    summary: "List the company's users, in the order in which they joined",
    access: user("read"),
    success: Schema.Struct({ members: Schema.Array(Member) }),
    unexpected: "Failed to list members",
    compressed: true
  }),
  route("changeRole", "PATCH /api/members/:id", {
    summary: "Change a user's role, effective from their next request",
    access: user("administer"),
    ids: { id: "the user" },
    body: ChangeRole,
    success: Schema.Struct({ member: Member }),
    errors: [memberNotFound, ownerNeeded],
    unexpected: "Failed to change the role"
  }),
  route("remove", "POST /api/members/:id/remove", {
    summary:
      "Remove a user, end their sessions and withdraw their invitations; the company's keys stay valid",
    access: user("administer"),
    ids: { id: "the user" },
    success: Ok,
    errors: [memberNotFound, ownerNeeded],
    unexpected: "Failed to remove the member"
  })
) {}

export class InvitationsApi extends routeGroup(
  "invitations",
  {
    title: "Invitations",
    description: "Open invitations to join the company.",
    access: user("administer"),
    examples: examples.invitations
  },
  route("list", "GET /api/invitations", {
    summary: "List the open invitations, newest first",
    success: Schema.Struct({ invitations: Schema.Array(Invitation) }),
    unexpected: "Failed to list invitations",
    compressed: true
  }),
  route("invite", "POST /api/invitations", {
    summary: "Create an invitation link",
    description:
      "The link works once, for seven days, and only while its creator is an owner. A new invitation for the same address replaces it. A 409 means that a user of this company has the address, or that the company has reached its limit; it never reveals users of other companies.",
    body: Invite,
    success: created(Invited),
    errors: [
      emailTaken,
      fails(TooManyMembers, 409, "A company has at most 1000 members and invitations", {
        describe: ({ most }) => `A company has at most ${most} members and invitations`
      })
    ],
    unexpected: "Failed to invite"
  }),
  route("withdraw", "POST /api/invitations/:id/withdraw", {
    summary: "Withdraw an invitation; its link stops working at once",
    ids: { id: "the invitation" },
    success: Ok,
    errors: [invitationNotFound],
    unexpected: "Failed to withdraw the invitation"
  })
) {}

export class AcceptanceApi extends routeGroup(
  "acceptance",
  {
    title: "Accepting an invitation",
    description: "For the holder of an invitation's link.",
    access: fromOwnSite(holderOfInvitation),
    examples: examples.acceptance
  },
  route("open", "POST /api/auth/invitation", {
    summary: "Read an invitation by its link's token",
    body: OpenByToken,
    success: Schema.Struct({ invitation: OpenInvitation }),
    errors: [invitationNotFound, tooManyRequests],
    unexpected: "Failed to read the invitation"
  }),
  route("accept", "POST /api/auth/invitation/accept", {
    summary: "Accept an invitation, and sign in",
    description:
      "The new user signs in with the invited address. If that address already has an account (409), they may send another one as `email`; otherwise `email` is ignored.",
    body: Accept,
    success: created(SignedIn),
    errors: [invitationNotFound, emailTaken, tooManyRequests],
    unexpected: "Failed to accept the invitation"
  })
) {}
