import { defineFaults } from "#core/fault/defineFaults.ts";

export const dbFault = defineFaults({
	schemaTooNew: {
		status: 500,
		retry: "never",
		public: "The database was migrated by a newer build than this one.",
	},
	migrationSkipped: {
		status: 500,
		retry: "never",
		public: "A migration was skipped: its date is older than one already applied.",
	},
	databaseUnreachable: {
		status: 503,
		retry: "later",
		public: "The PostgreSQL server does not answer.",
	},
	databaseUnavailable: {
		status: 503,
		retry: "later",
		public: "The database cannot be used right now. Try again in a moment.",
	},
	outcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"The database's answer was lost, so it is not known whether this was done. Look at what " +
			"stands before you send it again.",
		advice:
			"Send it again with the same `idempotency-key`, which does nothing twice; without " +
			"one, read what stands first.",
	},
	notCommitted: {
		status: 500,
		retry: "later",
		public: "The database rolled a transaction back.",
	},
	fenced: {
		status: 500,
		retry: "later",
		public: "Another process has taken this work over.",
	},
});
