import * as Data from "effect/Data"

/** No dashboard credential, or one that is unknown, ended or expired. */
export class Unauthorized extends Data.TaggedError("Unauthorized") {}

/** The installation does not let strangers make accounts (`SIGNUP=closed`). */
export class SignupClosed extends Data.TaggedError("SignupClosed") {}

/** Another user has this email address. */
export class EmailTaken extends Data.TaggedError("EmailTaken") {}

/** No such user, or not that password: the two are never told apart. */
export class InvalidLogin extends Data.TaggedError("InvalidLogin") {}
