/** The codes of PostgreSQL's errors (SQLSTATE) that we handle, by PostgreSQL's own names. */
export const SQLSTATE = {
	/** A standby, or a server that is set to read-only. */
	read_only_sql_transaction: "25006",
	/** The transaction was idle for too long. */
	idle_in_transaction_session_timeout: "25P03",
	/** A row with the same key exists. */
	unique_violation: "23505",
	check_violation: "23514",
	/** There is no such database. */
	invalid_catalog_name: "3D000",
	serialization_failure: "40001",
	/** It is unknown whether the statement was executed. */
	statement_completion_unknown: "40003",
	deadlock_detected: "40P01",
	duplicate_database: "42P04",
	/** A lock was not obtained in time. */
	lock_not_available: "55P03",
	/** The server starts, stops or recovers. */
	cannot_connect_now: "57P03",
} as const;

export type SqlState = keyof typeof SQLSTATE;
