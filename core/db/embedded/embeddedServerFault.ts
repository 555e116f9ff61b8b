import { defineFaults } from "#core/fault/defineFaults.ts";

/** Reasons why the embedded PostgreSQL cannot run; each sentence says what the operator can do. */
export const embeddedServerFault = defineFaults({
	embeddedServerMissing: {
		status: 503,
		retry: "never",
		public:
			"There is no embedded PostgreSQL for this platform here. Set DATABASE_URL to a PostgreSQL server.",
	},
	embeddedServerHeld: {
		status: 503,
		retry: "later",
		public:
			"Another server that cannot be reached from here is using DATA_DIR. Stop it, or use another DATA_DIR.",
	},
	embeddedServerUser: {
		status: 503,
		retry: "never",
		public:
			"PostgreSQL refuses to run as root and no unprivileged user was found to run it. Set DATABASE_URL.",
	},
	embeddedServerFolder: {
		status: 503,
		retry: "never",
		public: "The folder of the embedded PostgreSQL cannot be used.",
	},
	embeddedServerCommand: {
		status: 503,
		retry: "later",
		public: "A command of the embedded PostgreSQL failed.",
	},
	embeddedServerUnreachable: {
		status: 503,
		retry: "later",
		public: "The embedded PostgreSQL does not answer.",
	},
});
