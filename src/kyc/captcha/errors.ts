import * as Data from "effect/Data"

/** No such session, or not its token. */
export class CaptchaSessionNotFound extends Data.TaggedError("CaptchaSessionNotFound") {}

/** The session is completed, failed or cancelled. */
export class CaptchaSessionFinished extends Data.TaggedError("CaptchaSessionFinished") {}

/** The session's time has passed. */
export class CaptchaSessionExpired extends Data.TaggedError("CaptchaSessionExpired") {}

/** Too many sessions that there are not, from one address; another try is taken after that many seconds. */
export class CaptchaTriesExceeded extends Data.TaggedError("CaptchaTriesExceeded")<{
  readonly retryAfterSeconds: number
}> {}

/** The solution is not one of a challenge of ours, or the challenge has expired. */
export class ChallengeNotSolved extends Data.TaggedError("ChallengeNotSolved") {}

/** Another captcha than the built-in one is configured. */
export class NoBuiltInCaptcha extends Data.TaggedError("NoBuiltInCaptcha") {}
