import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../http/contract/answers.ts"
import { idOf, NoFields, optional, refusing, required, unstorableText } from "../http/contract/fields.ts"
import { tooManyRequests } from "../http/contract/too-many-requests.ts"
import { Ok } from "../model.ts"
import { messages as accountMessages, Email, emailTaken, NewPassword, SignedIn } from "./api.ts"
import { InvitationNotFound, MemberNotFound, OwnerNeeded, TooManyMembers } from "./errors.ts"
import { DashboardOwner, DashboardSession, SameSite } from "./guards.ts"
import { examples } from "./members-examples.ts"
import { Invitation, Member, OpenInvitation, Role } from "./model.ts"

const messages = {
  ...accountMessages,
  role: "role must be one of owner, member, viewer",
  token: "token is required"
} as const

const ByUser = Schema.Struct({ id: idOf("the user") })
const ByInvitation = Schema.Struct({ id: idOf("the invitation") })
const RoleField = required(refusing(Role, messages.role), messages.role)
const Token = required(refusing(Schema.NonEmptyString, messages.token), messages.token)

const ChangeRole = Schema.Struct({ role: RoleField }).annotations({ identifier: "ChangeRole" })

const Invite = Schema.Struct({ email: required(Email, messages.email), role: RoleField }).annotations({
  identifier: "Invite"
})

const Invited = Schema.Struct({
  invitation: Invitation,
  url: Schema.String.annotations({
    description: "To be passed on to who is invited. It is shown here and never again."
  })
}).annotations({ identifier: "Invited" })

const OpenByToken = Schema.Struct({ token: Token }).annotations({ identifier: "OpenInvitationByToken" })

const Accept = Schema.Struct({
  token: Token,
  password: required(NewPassword, messages.password),
  email: optional(Email)
}).annotations({ identifier: "AcceptInvitation" })

const holderOfInvitation = "For whoever has the invitation's link, whose token is `token` in the body."

const memberNotFound = fails(MemberNotFound, 404, "Member not found")
const ownerNeeded = fails(OwnerNeeded, 409, "The company needs an owner")
const invitationNotFound = fails(InvitationNotFound, 404, "Invitation not found")

/** The users of the caller's company. Only owners can change them. */
export class MembersApi extends HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.get("list", "/api/members")
      .addSuccess(Schema.Struct({ members: Schema.Array(Member) }))
      .annotate(OpenApi.Summary, "List the company's users, in the order in which they joined")
      .pipe(answers({ example: examples.list, unexpected: "Failed to list members", compressed: true }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.patch("changeRole", "/api/members/:id")
      .setPath(ByUser)
      .setPayload(ChangeRole)
      .addSuccess(Schema.Struct({ member: Member }))
      .addError(memberNotFound)
      .addError(ownerNeeded)
      .annotate(OpenApi.Summary, "Change a user's role; it holds from their next request on")
      .pipe(
        answers({
          example: examples.changeRole,
          rejects: [messages.role],
          unexpected: "Failed to change the role"
        })
      )
      .middleware(DashboardOwner)
  )
  .add(
    HttpApiEndpoint.post("remove", "/api/members/:id/remove")
      .setPath(ByUser)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(memberNotFound)
      .addError(ownerNeeded)
      .annotate(
        OpenApi.Summary,
        "Remove a user; their sessions end at once, their invitations are withdrawn, the company's keys stay"
      )
      .pipe(answers({ example: examples.remove, unexpected: "Failed to remove the member" }))
      .middleware(DashboardOwner)
  )
  .annotate(OpenApi.Title, "Members")
  .annotate(
    OpenApi.Description,
    "The company's users. Owners do everything, members everything but what is here, viewers only look."
  ) {}

/** The invitations of the caller's company, for owners. */
export class InvitationsApi extends HttpApiGroup.make("invitations")
  .add(
    HttpApiEndpoint.get("list", "/api/invitations")
      .addSuccess(Schema.Struct({ invitations: Schema.Array(Invitation) }))
      .annotate(OpenApi.Summary, "List the invitations that nobody has accepted yet, newest first")
      .pipe(
        answers({ example: examples.invitations, unexpected: "Failed to list invitations", compressed: true })
      )
  )
  .add(
    HttpApiEndpoint.post("invite", "/api/invitations")
      .setPayload(Invite)
      .addSuccess(Invited, { status: 201 })
      .addError(emailTaken)
      .addError(
        fails(TooManyMembers, 409, "A company has at most 1000 members and invitations", {
          describe: ({ most }) => `A company has at most ${most} members and invitations`
        })
      )
      .annotate(OpenApi.Summary, "Invite someone by a link")
      .annotate(
        OpenApi.Description,
        "The link is good once and for seven days, and only while who made it is an owner. Another invitation of the same address replaces it. 409 is for an address of the company's own users; of others' nothing is told."
      )
      .pipe(
        answers({
          example: examples.invite,
          rejects: [messages.email, messages.role],
          unexpected: "Failed to invite"
        })
      )
  )
  .add(
    HttpApiEndpoint.post("withdraw", "/api/invitations/:id/withdraw")
      .setPath(ByInvitation)
      .setPayload(NoFields)
      .addSuccess(Ok)
      .addError(invitationNotFound)
      .annotate(OpenApi.Summary, "Withdraw an invitation; its link is dead at once")
      .pipe(answers({ example: examples.withdraw, unexpected: "Failed to withdraw the invitation" }))
  )
  .middleware(DashboardOwner)
  .annotate(OpenApi.Title, "Invitations")
  .annotate(OpenApi.Description, "Who has been asked to join the company.") {}

/** Routes for the holder of an invitation's link. The link's token is the credential. */
export class AcceptanceApi extends HttpApiGroup.make("acceptance")
  .add(
    HttpApiEndpoint.post("open", "/api/auth/invitation")
      .setPayload(OpenByToken)
      .addSuccess(Schema.Struct({ invitation: OpenInvitation }))
      .addError(invitationNotFound)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Read an invitation by its link's token")
      .pipe(
        answers({
          caller: holderOfInvitation,
          example: examples.open,
          rejects: [messages.token],
          unexpected: "Failed to read the invitation"
        })
      )
  )
  .add(
    HttpApiEndpoint.post("accept", "/api/auth/invitation/accept")
      .setPayload(Accept)
      .addSuccess(SignedIn, { status: 201 })
      .addError(invitationNotFound)
      .addError(emailTaken)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Accept an invitation, and sign in")
      .annotate(
        OpenApi.Description,
        "Who joins signs in with the invited address. If that has an account already (409), they may give another as `email`; otherwise `email` is not looked at."
      )
      .pipe(
        answers({
          caller: holderOfInvitation,
          example: examples.accept,
          rejects: [
            messages.token,
            messages.password,
            messages.passwordLong,
            unstorableText("password"),
            messages.email
          ],
          unexpected: "Failed to accept the invitation"
        })
      )
  )
  .middleware(SameSite)
  .annotate(OpenApi.Title, "Accepting an invitation")
  .annotate(OpenApi.Description, "What the holder of an invitation's link does with it.") {}
