import * as Data from "effect/Data"

/** No dashboard credential, or one that is unknown, ended or expired. */
export class Unauthorized extends Data.TaggedError("Unauthorized") {}

/** A state-changing request with the dashboard's cookie came from a page of another site. */
export class CrossSiteRequest extends Data.TaggedError("CrossSiteRequest") {}

/** The user's role does not permit this. */
export class RoleForbidden extends Data.TaggedError("RoleForbidden") {}

/** The installation does not let strangers make accounts (`SIGNUP=closed`). */
export class SignupClosed extends Data.TaggedError("SignupClosed") {}

/** Another user has this email address. */
export class EmailTaken extends Data.TaggedError("EmailTaken") {}

/** No such user, or not that password: the two are never told apart. */
export class InvalidLogin extends Data.TaggedError("InvalidLogin") {}

/** The present password was not the one given to change it. */
export class WrongPassword extends Data.TaggedError("WrongPassword") {}

/** The user has no such session. */
export class DashboardSessionNotFound extends Data.TaggedError("DashboardSessionNotFound") {}

/** The company has no such user. */
export class MemberNotFound extends Data.TaggedError("MemberNotFound") {}

/** The company has as many users and invitations as it may have (`QUOTA_MEMBERS`). */
export class TooManyMembers extends Data.TaggedError("TooManyMembers")<{ readonly most: number }> {}

/** The company would be left without an owner. */
export class OwnerNeeded extends Data.TaggedError("OwnerNeeded") {}

/** The invitation is unknown, used, withdrawn or expired: the answers do not tell which. */
export class InvitationNotFound extends Data.TaggedError("InvitationNotFound") {}
