import { Data } from "effect"

/** The session does not exist or the token is wrong. */
export class CaptchaSessionNotFound extends Data.TaggedError("CaptchaSessionNotFound") {}

/** The session is completed, failed or cancelled. */
export class CaptchaSessionFinished extends Data.TaggedError("CaptchaSessionFinished") {}

/** The session has expired. */
export class CaptchaSessionExpired extends Data.TaggedError("CaptchaSessionExpired") {}

/** One address has named too many sessions that do not exist; it may retry after this many seconds. */
export class CaptchaTriesExceeded extends Data.TaggedError("CaptchaTriesExceeded")<{
  readonly retryAfterSeconds: number
}> {}

/** The solution does not belong to a challenge that doorlock issued, or the challenge has expired. */
export class ChallengeNotSolved extends Data.TaggedError("ChallengeNotSolved") {}

/** Another captcha is configured. */
export class NoBuiltInCaptcha extends Data.TaggedError("NoBuiltInCaptcha") {}
