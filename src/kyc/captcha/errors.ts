import { Data } from "effect"

/** The session is completed, failed or cancelled. */
export class CaptchaSessionFinished extends Data.TaggedError("CaptchaSessionFinished") {}

/** The solution does not belong to a challenge that doorlock issued, or the challenge has expired. */
export class ChallengeNotSolved extends Data.TaggedError("ChallengeNotSolved") {}

/** Another captcha is configured, so there is no built-in one. */
export class NoBuiltInCaptcha extends Data.TaggedError("NoBuiltInCaptcha") {}
