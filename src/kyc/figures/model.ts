import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"

/** How many sessions came to each state. */
const counts = {
  created: Schema.Number.annotations({ description: "Sessions that were created." }),
  completed: Schema.Number.annotations({ description: "Sessions that were completed." }),
  failed: Schema.Number.annotations({ description: "Sessions that failed." }),
  cancelled: Schema.Number.annotations({ description: "Sessions that were cancelled." }),
  expired: Schema.Number.annotations({ description: "Sessions that expired before they were finished." })
}

const Day = Schema.Struct({
  day: Schema.String.annotations({ description: "`YYYY-MM-DD`, UTC." }),
  ...counts
})

/** How a company's sessions of mode `prod` have gone in the last days. */
export const SessionFigures = Schema.Struct({
  days: Schema.Array(Day).annotations({ description: "Every day of the period, oldest first." }),
  total: Schema.Struct(counts).annotations({ description: "The sums of all days." }),
  completed_share: Schema.NullOr(Schema.Number).annotations({
    description:
      "The share of completed sessions among those that ended in the period (completed, failed, cancelled or expired): 0 to 1. Null if none ended."
  }),
  median_seconds: Schema.NullOr(Schema.Number).annotations({
    description:
      "The median time from start to completion, of the newest 500 completed sessions that were created in the period. Null if there is none."
  })
}).annotations({ identifier: "KycSessionFigures" })
export type SessionFigures = typeof SessionFigures.Type

/** What somebody has to look after soon. */
export const Attention = Schema.Struct({
  failing_webhooks: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      url: Schema.String.annotations({ description: "Where events are sent." }),
      failing_since: Schema.NullOr(Timestamp).annotations({
        description: "Since when no attempt has succeeded; null if the last one did."
      }),
      disabled_at: Schema.NullOr(Timestamp).annotations({
        description: "When doorlock disabled the endpoint; null while it is enabled."
      })
    })
  ).annotations({
    description: "Endpoints whose last attempt failed, and those that were disabled because of failures."
  }),
  expiring_keys: Schema.Array(
    Schema.Struct({ id: Schema.String, name: Schema.String, expires_at: Timestamp })
  ).annotations({
    description:
      "The first 20 platform API keys that expire within 30 days, without those that were created for less than a week."
  }),
  plans_near_end: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotations({ description: "The subscription's id." }),
      api_name: Schema.String,
      mode: Schema.Literal("live", "test").annotations({
        description: "`test`: calls to the API's sandbox, which are counted separately."
      }),
      percent: Schema.Number.annotations({
        description: "80 or 100: the percentage of the month's calls that is used, at least."
      })
    })
  ).annotations({
    description: "Subscriptions that have reached 80 or 100 percent of this month's calls, at most 20."
  })
}).annotations({ identifier: "Attention" })
export type Attention = typeof Attention.Type

/** How much work waits for reviewers. */
export const WaitingReviews = Schema.Struct({
  waiting: Schema.Number.annotations({
    description: "Reviews of all instances and both modes that nobody has decided yet: counted up to 500."
  }),
  oldest_at: Schema.NullOr(Timestamp).annotations({
    description: "When the session that waits longest was completed; null if none waits."
  })
}).annotations({ identifier: "WaitingReviews" })

export const Overview = Schema.Struct({
  sessions: SessionFigures,
  reviews: WaitingReviews,
  attention: Attention
}).annotations({ identifier: "Overview" })

const FunnelStep = Schema.Struct({
  step: Schema.String.annotations({ description: "The step's id in the workflow." }),
  type: Schema.String.annotations({ description: "The type of the step, such as `form`." }),
  came: Schema.Number.annotations({ description: "Sessions that reached the step." }),
  answered: Schema.Number.annotations({ description: "Sessions that answered the step." }),
  left: Schema.Number.annotations({
    description: "Sessions that stopped at this step, because they were cancelled or expired."
  }),
  failed: Schema.Number.annotations({
    description: "Sessions that failed at this step, by a check or a rule."
  }),
  median_seconds: Schema.NullOr(Schema.Number).annotations({
    description: "The median time from the step before, or from the creation of the session, to the answer."
  })
})

/** Where people stop. */
export const Funnel = Schema.Struct({
  sessions: Schema.Number.annotations({
    description: "How many sessions were counted: the newest 5,000 at most that were created in the period."
  }),
  completed: Schema.Number.annotations({ description: "How many of them were completed." }),
  steps: Schema.Array(FunnelStep).annotations({
    description: "The data steps of the instance's current workflow, in order."
  })
}).annotations({ identifier: "KycFunnel" })
export type Funnel = typeof Funnel.Type
