import { Data } from "effect"

/** A platform key was sent to a route for signed-in users alone. */
export const needsUser = "needs-signed-in-user"

/** No dashboard credential, or one that is unknown, revoked or expired. `reason`: why the platform key of the request does not do. */
export class Unauthorized extends Data.TaggedError("Unauthorized")<{ readonly reason?: string }> {}

/** A page of another site sent a state-changing request with the dashboard's cookie. */
export class CrossSiteRequest extends Data.TaggedError("CrossSiteRequest") {}

export class RoleForbidden extends Data.TaggedError("RoleForbidden") {}

/** `SIGNUP=closed`. */
export class SignupClosed extends Data.TaggedError("SignupClosed") {}

export class EmailTaken extends Data.TaggedError("EmailTaken") {}

/** No such user, or a wrong password. The response never says which. */
export class InvalidLogin extends Data.TaggedError("InvalidLogin") {}

export class WrongPassword extends Data.TaggedError("WrongPassword") {}

export class DashboardSessionNotFound extends Data.TaggedError("DashboardSessionNotFound") {}

export class MemberNotFound extends Data.TaggedError("MemberNotFound") {}

/** The company has reached its limit of users and invitations (`QUOTA_MEMBERS`). */
export class TooManyMembers extends Data.TaggedError("TooManyMembers")<{ readonly most: number }> {}

/** The change would leave the company without an owner. */
export class OwnerNeeded extends Data.TaggedError("OwnerNeeded") {}

/** No company has this id or name. */
export class CompanyNotFound extends Data.TaggedError("CompanyNotFound")<{ readonly named: string }> {}

/** Several companies have this name, or no company was named and there are several. */
export class CompanyAmbiguous extends Data.TaggedError("CompanyAmbiguous")<{
  readonly named: string | undefined
  /** The first few of them. */
  readonly companies: ReadonlyArray<{ readonly id: string; readonly name: string }>
}> {}

export class NoCompany extends Data.TaggedError("NoCompany") {}

export class UserNotFound extends Data.TaggedError("UserNotFound")<{ readonly email: string }> {}

/** Unknown, used, withdrawn or expired. The response does not say which. */
export class InvitationNotFound extends Data.TaggedError("InvitationNotFound") {}
