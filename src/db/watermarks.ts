/** Events that only time causes are recorded up to a stored time (`event_watermarks`), each once. Parts of the statements that do so. */

/** A row is written with the time of its statement's start. Within this time, the statement has been committed. */
export const lag = "interval '30 seconds'"

/**
 * The next stored time; the CTE `mark` has the present one. After a failover, the clock may be a little behind, and what has its event must not
 * get another one. If it is further behind than the lag, the stored time goes back, too, or what is due until then would get no event.
 */
export const nextReached = `case when mark.reached > now() then now() - ${lag} else greatest(mark.reached, now() - ${lag}) end`
