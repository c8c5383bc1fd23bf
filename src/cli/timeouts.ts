import { Context, Duration } from "effect"

/** How long commands wait for others, which may never answer. */
export class CommandTimeouts extends Context.Reference<CommandTimeouts>()("doorlock/cli/CommandTimeouts", {
  defaultValue: () => ({
    /** A database that is not ready. */
    database: Duration.seconds(5),
    /** Another process that is starting, stopping or visiting the embedded database. */
    embeddedDatabase: Duration.seconds(60),
    /** For `doctor`: a database that is not ready, each of its servers, and a change that it notifies of. */
    diagnosis: Duration.seconds(2),
    /** For `doctor`: a connection to the upstream of an API. */
    upstream: Duration.seconds(3),
    /** For `doctor`: a bucket that is written and read. */
    bucket: Duration.seconds(10),
    /** The published keys of receipts. */
    receiptKeys: Duration.seconds(10),
    /** An installation's feed. Longer than any answer takes; after a laptop's sleep, the connection may be dead without notice. */
    feed: Duration.seconds(30),
    /** A receiver of events, as in a delivery. */
    receiver: Duration.seconds(15),
    /** An installation's answer to an agent. Longer than any answer takes. */
    agentCall: Duration.seconds(60)
  })
}) {}
