/** The codes of PostgreSQL's errors (SQLSTATE) that we act on, by PostgreSQL's own names. */
export const SQLSTATE = {
	/** A standby, or a server that was set so. */
	read_only_sql_transaction: "25006",
	/** The transaction waited for us for too long. */
	idle_in_transaction_session_timeout: "25P03",
	/** Something with the same key is stored already. */
	unique_violation: "23505",
	check_violation: "23514",
	/** There is no such database. */
	invalid_catalog_name: "3D000",
	serialization_failure: "40001",
	/** Nobody knows whether the statement was done. */
	statement_completion_unknown: "40003",
	deadlock_detected: "40P01",
	duplicate_database: "42P04",
	/** A lock was not had in time. */
	lock_not_available: "55P03",
	/** The server starts, stops or recovers. */
	cannot_connect_now: "57P03",
} as const;

export type SqlState = keyof typeof SQLSTATE;
